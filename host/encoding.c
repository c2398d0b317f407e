#include "host/encoding.h"

#include "base/diag.h"

bool met_encoding_check(met_session *session, uint32_t source)
{
    met_str text = met_session_source(session, source)->text;
    for (size_t i = 0; i < text.length;) {
        unsigned char c = (unsigned char)text.at[i];
        size_t length = met_utf8_length((met_str){ text.at + i, text.length - i });
        if (length == 0 || c == 0) {
            met_span span = { source, (uint32_t)i, (uint32_t)i + 1 };
            met_diag_add(session, MET_DIAG_encoding, span, c ? "the byte 0x%02X is not UTF-8 here" : "a NUL byte", c);
            return false;
        }
        i += length;
    }
    return true;
}
