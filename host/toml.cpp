// The walk over what toml++ parsed. No exception leaves this file: toml++ runs without them, and the rest is caught.
#include "host/toml_builder.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Some of toml++'s assertions fail on bad input, where the code behind them does report an error.
#define TOML_ASSERT(condition) static_cast<void>(0)
// toml++ 3.3 tests for Unicode white space by a table, and takes for impossible what letters such as U+00E9 do reach:
// undefined behaviour. Within that header an impossible case answers "no"; elsewhere it stops the program.
#include <toml++/impl/forward_declarations.h>
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE __builtin_trap()
#include <toml++/toml.h>

namespace {

met_toml_region region_of(const toml::source_region &source)
{
    return { source.begin.line, source.begin.column, source.end.line, source.end.column };
}

met_value *build(met_toml_builder *builder, const toml::node &node);

using entry = std::pair<const toml::key *, const toml::node *>;

bool stands_before(const entry &a, const entry &b)
{
    return a.first->source().begin < b.first->source().begin;
}

// toml++ keeps keys sorted by name; what the user wrote is their order of appearance.
met_value *build_table(met_toml_builder *builder, const toml::table &table)
{
    std::vector<entry> entries;
    for (auto &&[key, node] : table)
        entries.emplace_back(&key, &node);
    std::stable_sort(entries.begin(), entries.end(), stands_before);
    met_value *result = met_toml_table(builder, region_of(table.source()));
    for (const auto &[key, node] : entries) {
        const std::string_view name = key->str();
        met_toml_add(builder, result, name.data(), name.size(), region_of(key->source()), build(builder, *node));
    }
    return result;
}

met_value *build_list(met_toml_builder *builder, const toml::array &array)
{
    met_value *result = met_toml_list(builder, region_of(array.source()));
    for (auto &&item : array)
        met_toml_append(builder, result, build(builder, item));
    return result;
}

met_value *build(met_toml_builder *builder, const toml::node &node)
{
    const met_toml_region region = region_of(node.source());
    if (const auto *table = node.as_table())
        return build_table(builder, *table);
    if (const auto *array = node.as_array())
        return build_list(builder, *array);
    if (const auto *string = node.as_string())
        return met_toml_string(builder, region, string->get().data(), string->get().size());
    if (const auto *integer = node.as_integer())
        return met_toml_integer(builder, region, integer->get());
    if (const auto *number = node.as_floating_point())
        return met_toml_float(builder, region, number->get());
    if (const auto *boolean = node.as_boolean())
        return met_toml_bool(builder, region, boolean->get());
    return met_toml_date(builder, region);
}

void fail(met_toml_builder *builder, const met_toml_region &region, std::string_view message)
{
    met_toml_fail(builder, region, message.data(), message.size());
}

} // namespace

extern "C" met_value *met_toml_parse(met_toml_builder *builder, const char *text, size_t length)
{
    try {
        const toml::parse_result result = toml::parse(std::string_view{ text, length });
        if (result)
            return build_table(builder, result.table());
        const toml::parse_error &error = result.error();
        fail(builder, region_of(error.source()), error.description());
    } catch (const std::bad_alloc &) {
        met_toml_no_memory();
    } catch (const std::exception &exception) {
        fail(builder, {}, exception.what());
    } catch (...) {
        fail(builder, {}, "the TOML reader failed");
    }
    return nullptr;
}
