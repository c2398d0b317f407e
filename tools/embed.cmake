# Writes the texts that stand at the top of generated sources into a C file: cmake -DROOT=… -DOUT=….c -P embed.cmake
# A line #include "../NAME" of a class header is replaced by that file, as the text must compile by itself.
function(put symbol text)
  string(HEX "${text}" hex)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  file(APPEND "${OUT}.new" "extern const unsigned char ${symbol}[];\nconst unsigned char ${symbol}[] = {\n${hex}0\n};\n")
endfunction()

file(WRITE "${OUT}.new" "/* Made by tools/embed.cmake from kernels/classes. */\n")
file(READ "${ROOT}/kernels/classes/values.h" values)
foreach(class scalar avx2 avx512)
  file(READ "${ROOT}/kernels/classes/cpu-${class}/lane.h" text)
  string(REPLACE "#include \"../values.h\"\n" "${values}" text "${text}")
  put(met_class_text_${class} "${text}")
endforeach()
file(RENAME "${OUT}.new" "${OUT}")
