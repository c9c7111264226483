/* Reads that fail as on a broken disk, for files below FAILING_READS, from the FAILING_AFTER-th on (loaded with LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static long reads = 0;

static int fails(int descriptor) {
    const char *below = getenv("FAILING_READS"), *after = getenv("FAILING_AFTER");
    char link[64], path[4096];
    if (!below || !after) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    if (strncmp(path, below, strlen(below))) return 0;
    if (__sync_fetch_and_add(&reads, 1) < atol(after)) return 0;
    errno = EIO;
    return 1;
}

#define ORIGINAL(name, result, ...) \
    static result (*original)(__VA_ARGS__); \
    if (!original) original = dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *to, size_t size) {
    ORIGINAL(read, ssize_t, int, void *, size_t);
    return fails(fd) ? -1 : original(fd, to, size);
}
ssize_t pread(int fd, void *to, size_t size, off_t at) {
    ORIGINAL(pread, ssize_t, int, void *, size_t, off_t);
    return fails(fd) ? -1 : original(fd, to, size, at);
}
ssize_t pread64(int fd, void *to, size_t size, off64_t at) {
    ORIGINAL(pread64, ssize_t, int, void *, size_t, off64_t);
    return fails(fd) ? -1 : original(fd, to, size, at);
}
void *mmap(void *to, size_t size, int protection, int flags, int fd, off_t at) {
    ORIGINAL(mmap, void *, void *, size_t, int, int, int, off_t);
    return fd >= 0 && fails(fd) ? MAP_FAILED : original(to, size, protection, flags, fd, at);
}
void *mmap64(void *to, size_t size, int protection, int flags, int fd, off64_t at) {
    ORIGINAL(mmap64, void *, void *, size_t, int, int, int, off64_t);
    return fd >= 0 && fails(fd) ? MAP_FAILED : original(to, size, protection, flags, fd, at);
}
