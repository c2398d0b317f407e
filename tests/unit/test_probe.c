/* Probing: what is told of a machine that stands in files, and what is worked out from a clock that the test turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/energy.h"
#include "host/file.h"
#include "host/probe_record.h"
#include "lkb/lkb.h"

static char directory[] = "/tmp/met-probe-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (char *at = path + strlen(directory) + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0777);
            *at = '/';
        }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    setenv("MET_SYS", directory, 1);
    unsetenv("MET_CPUINFO");
    setenv("MET_DEVICES", "", 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void put_cache(unsigned index, const char *level, const char *type, const char *size, const char *shared)
{
    const char *const files[][2] = { { "level", level }, { "type", type }, { "size", size }, { "shared_cpu_list", shared } };
    for (size_t i = 0; i < 4; i++) {
        char name[100], text[60];
        snprintf(name, sizeof name, "devices/system/cpu/cpu0/cache/index%u/%s", index, files[i][0]);
        snprintf(text, sizeof text, "%s\n", files[i][1]);
        put(name, text);
    }
}

/* --- Samples --- */

static void test_statistics(void **state)
{
    (void)state;
    double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 40, 10, 30, 20 }, one[] = { 7 };
    met_sample s = met_sample_of(5, odd);
    assert_true(s.min == 1 && s.median == 3 && s.repeats == 5);
    assert_true(s.spread == (4.0 - 2.0) / 3.0);
    s = met_sample_of(4, even);
    assert_true(s.min == 10 && s.median == 25);
    assert_true(s.spread == (32.5 - 17.5) / 25); /* a quarter of the way is 3/4 from the first to the second */
    s = met_sample_of(1, one);
    assert_true(s.min == 7 && s.median == 7 && s.spread == 0);
}

typedef struct fake {
    double now, run_s, prepare_s;
    unsigned runs, prepared;
} fake;

static double tell(void *context)
{
    return ((fake *)context)->now;
}

static bool run(void *context)
{
    fake *f = context;
    f->runs++;
    f->now += f->run_s;
    return f->runs != 1000000;
}

static bool prepare(void *context)
{
    fake *f = context;
    f->prepared++;
    f->now += f->prepare_s;
    return true;
}

/* Numbers of which sums and quotients are exact. */
static void test_short_runs_are_timed_together(void **state)
{
    (void)state;
    fake f = { .run_s = 0x1p-20 };
    met_clock clock = { tell, &f };
    met_sampler sampler = { .clock = &clock, .repeats = 5, .budget_s = 1, .run = run, .context = &f };
    met_sample sample;
    assert_true(met_sample_take(&sampler, &sample));
    assert_true(sample.median == 0x1p-20 && sample.min == 0x1p-20 && sample.spread == 0 && sample.repeats == 5);
    assert_int_equal(sampler.calls, 5 * 64); /* the least power of two beyond 50 us */
    assert_int_equal(f.runs, 127 + 5 * 64);
}

static void test_what_prepares_is_not_timed(void **state)
{
    (void)state;
    fake f = { .run_s = 0x1p-20, .prepare_s = 1 };
    met_clock clock = { tell, &f };
    met_sampler sampler = { .clock = &clock, .repeats = 31, .budget_s = 4, .prepare = prepare, .run = run, .context = &f };
    met_sample sample;
    assert_true(met_sample_take(&sampler, &sample));
    assert_true(sample.median == 0x1p-20);
    assert_int_equal(sample.repeats, 4); /* and the budget is of all of it */
    assert_int_equal(f.runs, f.prepared);
    f = (fake){ .run_s = 10 };
    sampler.prepare = NULL;
    assert_true(met_sample_take(&sampler, &sample));
    assert_int_equal(sample.repeats, 3); /* the least there are */
    f = (fake){ .run_s = 1, .runs = 999990 };
    sampler.repeats = 31;
    sampler.budget_s = 1e9;
    assert_false(met_sample_take(&sampler, &sample));
}

/* --- What the system says --- */

static void test_caches(void **state)
{
    (void)state;
    put_cache(0, "1", "Data", "32K", "0");
    put_cache(1, "1", "Instruction", "64K", "0");
    put_cache(2, "3", "Unified", "2M", "0-2,5,8-9");
    put_cache(3, "2", "Unified", "512K", "0,4");
    met_cache_level levels[MET_CACHE_LEVELS];
    assert_int_equal(met_cache_levels(levels), 3);
    assert_true(levels[0].level == 1 && levels[0].bytes == 32 << 10 && levels[0].shared_by == 1);
    assert_true(levels[1].level == 2 && levels[1].bytes == 512 << 10 && levels[1].shared_by == 2);
    assert_true(levels[2].level == 3 && levels[2].bytes == 2 << 20 && levels[2].shared_by == 6);
}

static void test_odd_caches(void **state)
{
    (void)state;
    put_cache(0, "1", "Data", "32K", "9-0,,x");
    put_cache(1, "2", "Unified", "16K", "0"); /* smaller than what lies inside */
    put_cache(2, "3", "Unified", "many", "0");
    put_cache(3, "99999999999999999999", "Unified", "99999999999999999999G", "0-99999999999999999999");
    met_cache_level levels[MET_CACHE_LEVELS];
    assert_int_equal(met_cache_levels(levels), 1);
    assert_true(levels[0].bytes == 32 << 10 && levels[0].shared_by == 1);
}

static void test_memory_of_a_group(void **state)
{
    (void)state;
    put("fs/cgroup/memory.max", "1048576\n");
    put("fs/cgroup/memory.current", "48576\n");
    assert_int_equal(met_memory_bytes(), 1048576);
    assert_int_equal(met_memory_free(), 1000000);
    put("fs/cgroup/memory.max", "max\n");
    assert_true(met_memory_bytes() > 1048576);
}

static void test_energy(void **state)
{
    met_session *session = met_session_new();
    (void)state;
    met_energy *none = met_energy_new(session);
    assert_non_null(met_energy_unavailable(none));
    met_energy_begin(none);
    assert_true(met_energy_end(none) == 0);
    put("class/powercap/intel-rapl:0/energy_uj", "4000000\n");
    put("class/powercap/intel-rapl:0/max_energy_range_uj", "5000000\n");
    put("class/powercap/intel-rapl:1/energy_uj", "10\n");
    put("class/powercap/intel-rapl:1/max_energy_range_uj", "5000000\n");
    put("class/powercap/intel-rapl:0:0/energy_uj", "77\n"); /* is part of the first */
    met_energy *energy = met_energy_new(session);
    assert_null(met_energy_unavailable(energy));
    met_energy_begin(energy);
    put("class/powercap/intel-rapl:0/energy_uj", "500000\n"); /* has wrapped: 1.5 J */
    put("class/powercap/intel-rapl:1/energy_uj", "250010\n"); /* 0.25 J */
    double joules = met_energy_end(energy);
    assert_true(joules > 1.7499999 && joules < 1.7500001); /* 1750000e-6, rounded */
    met_session_free(session);
}

static void test_names(void **state)
{
    static const char *const cases[][2] = {
        { "Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz", "intel-xeon-gold-6226r-x" },
        { "AMD EPYC 7763 64-Core Processor", "amd-epyc-7763-64-core-x" },
        { "((((", "cpu-x" },
        { "an.extraordinarily-long name of a processor", "an-extraordinarily-x" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        char text[200], path[300];
        snprintf(text, sizeof text, "processor\t: 0\nmodel name\t: %s\n", cases[i][0]);
        put("cpuinfo", text);
        snprintf(path, sizeof path, "%s/cpuinfo", directory);
        setenv("MET_CPUINFO", path, 1);
        const char *id = met_probe_id(session, "cpu-avx2");
        assert_true(strncmp(id, cases[i][1], strlen(cases[i][1])) == 0);
        assert_string_equal(strrchr(id, '-'), "-avx2");
        met_session_free(session);
    }
    unsetenv("MET_CPUINFO");
}

/* --- The whole, by a clock that moves 1/1024 s at every look --- */

static double tick(void *context)
{
    return *(double *)context += 0x1p-10;
}

static const met_probe *probed(met_session *session, double *now)
{
    met_probe_options options = { .class_name = "cpu-scalar", .id = "test-machine", .quick = true,
                                  .clock = { tick, now }, .memory_set_bytes = 1 << 20 };
    const met_probe *probe = met_probe_run(session, &options);
    if (!probe)
        fail_msg("%s", met_session_diagnostics_text(session));
    return probe;
}

static void small_machine(void)
{
    put_cache(0, "1", "Data", "16K", "0");
    put_cache(1, "2", "Unified", "64K", "0");
    put_cache(2, "3", "Unified", "256K", "0-63");
    put_cache(3, "1", "Instruction", "16K", "0");
}

static void test_figures_follow_from_the_clock(void **state)
{
    met_session *session = met_session_new();
    double now = 0;
    (void)state;
    small_machine();
    const met_probe *probe = probed(session, &now);
    assert_int_equal(probe->level_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const met_probe_level *level = &probe->levels[i];
        uint64_t part = level->set_bytes / probe->cores, moved = part < 4 << 20 ? (4 << 20) / part * part : part;
        /* one sample is one job, and takes one tick */
        assert_true(level->read.one.value == (double)moved * 1024);
        assert_true(level->write.all.value == (double)moved * 1024 * probe->cores);
        assert_true(level->read.all.spread == 0 && level->read.all.repeats >= 3);
    }
    assert_string_equal(probe->levels[3].name, "dram");
    assert_true(probe->levels[0].set_bytes == 8192 * (uint64_t)probe->cores);
    assert_true(probe->levels[3].set_bytes <= 1 << 20 && !probe->levels[3].partly_cached);
    assert_true(probe->launch.all.value == 0x1p-10);
    assert_non_null(probe->dot_bf16.all.missing); /* the scalar class has no such instruction */
    met_session_free(session);
}

/* A machine that was busy is said to have been; one that was not, is not. */
static void test_doubts(void **state)
{
    met_session *session = met_session_new();
    double now = 0;
    (void)state;
    small_machine();
    met_probe probe = *probed(session, &now);
    met_probe_doubt(session, &probe);
    assert_string_equal(met_session_diagnostics_text(session), "");
    probe.dot_bf16.all = (met_figure){ .value = probe.fma_f32.all.value / 2, .spread = 1.59 };
    met_probe_doubt(session, &probe);
    const char *said = met_session_diagnostics_text(session);
    assert_non_null(strstr(said, "their median: bf16\n"));
    assert_non_null(strstr(said, "bf16 is below f32"));
    assert_null(strstr(said, "all cores"));
    probe.fma_f32.one.value = 2 * probe.fma_f32.all.value;
    met_probe_doubt(session, &probe);
    assert_non_null(strstr(met_session_diagnostics_text(session), "all cores do less than one"));
    met_session_free(session);
}

static void test_a_record_is_a_device(void **state)
{
    met_session *session = met_session_new();
    double now = 0;
    char path[300];
    (void)state;
    small_machine();
    const met_probe *probe = probed(session, &now);
    const char *toml = met_probe_toml(session, probe), *file = path;
    assert_non_null(toml);
    snprintf(path, sizeof path, "%s/device.toml", directory);
    assert_true(met_file_write(session, path, toml, strlen(toml)));
    met_blueprint_request request = { .kernels = MET_ROOT_DIR "/kernels", .device_file_count = 1, .device_files = &file };
    const met_lkb *lkb = met_blueprint_load(session, &request);
    const met_device *device = lkb ? met_lkb_device(lkb, "test-machine") : NULL;
    if (!device)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_string_equal(device->class_id, "cpu-scalar");
    assert_int_equal(device->level_count, 4);
    assert_int_equal(device->units, probe->cores);
    assert_int_equal(device->levels[1].capacity_bytes, (64 << 10) * (uint64_t)probe->cores);
    assert_int_equal(device->levels[2].capacity_bytes, 256 << 10); /* all have it in common */
    assert_true(device->launch_s > 0.9e-3 && device->launch_s < 1e-3); /* a tick, with four digits */
    assert_true(device->peak[MET_PEAK_F32] > 0 && device->peak[MET_PEAK_BF16] == 0);
    assert_true(device->joule_per_byte == 0 && !device->energy_source);
    met_session_free(session);
}

static void test_caches_as_the_library_has_them(void **state)
{
    (void)state;
    met_cache_level levels[MET_CACHE_LEVELS];
    uint32_t count = met_cache_levels(levels); /* none, where it does not know either */
    for (uint32_t i = 0; i < count; i++)
        assert_true(levels[i].bytes > (i ? levels[i - 1].bytes : 0) && levels[i].shared_by == 1);
}

static void test_what_cannot_be_measured_is_said(void **state)
{
    met_session *session = met_session_new();
    (void)state;
    small_machine();
    met_probe probe = *probed(session, &(double){ 0 });
    probe.launch.all = (met_figure){ .missing = "the clock did not move" };
    assert_null(met_probe_toml(session, &probe));
    assert_non_null(strstr(met_session_diagnostics_text(session), "the cost of a launch could not be measured: the clock did not move"));
    assert_non_null(strstr(met_probe_json(session, &probe), "\"launch_s\":{\"all\":{\"value\":null,\"missing\":\"the clock did not move\"}"));
    assert_non_null(strstr(met_probe_table(session, &probe), "none: the clock did not move"));
    met_session_free(session);
}

static int fresh(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'/*", directory);
    return system(command);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh)
    const struct CMUnitTest tests[] = {
        TEST(test_statistics),
        TEST(test_short_runs_are_timed_together),
        TEST(test_what_prepares_is_not_timed),
        TEST(test_caches),
        TEST(test_odd_caches),
        TEST(test_memory_of_a_group),
        TEST(test_energy),
        TEST(test_names),
        TEST(test_figures_follow_from_the_clock),
        TEST(test_doubts),
        TEST(test_a_record_is_a_device),
        TEST(test_caches_as_the_library_has_them),
        TEST(test_what_cannot_be_measured_is_said),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
