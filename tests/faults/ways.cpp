// ways FOLDER: makes every call on files that the shim should see.
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

// open() as _FORTIFY_SOURCE calls it. No header declares them here.
extern "C" int __open_2(const char* name, int how);
extern "C" int __open64_2(const char* name, int how);
extern "C" int __openat_2(int folder, const char* name, int how);

namespace {

void open_files(int folder) {
  const fs::path around = fs::path("./..") / fs::current_path().filename() / "f";
  constexpr int kMake = O_WRONLY | O_CREAT | O_CLOEXEC;
  for (const int file : {::open("f", kMake, 0644), ::open64("f", kMake, 0644),
                         ::openat(folder, "f", kMake, 0644), ::openat64(folder, "f", kMake, 0644),
                         ::creat("f", 0644), __open_2("f", O_RDONLY), __open64_2("f", O_RDONLY),
                         __openat_2(folder, "f", O_RDONLY), ::open(around.c_str(), O_RDONLY)})
    ::close(file);
  ::fclose(::fopen("f", "w"));
  std::ofstream("f") << "x";  // an open and a write
}

// Returns false when a call failed.
bool write_files() {
  const int file = ::open("f", O_RDWR | O_TRUNC | O_CLOEXEC),
            copy = ::open("g", O_RDWR | O_CREAT, 0644);
  char text[] = "abc";
  const iovec pieces[] = {{text, 0}, {text, 3}};
  off_t at = 0;
  off64_t begin = 0;
  return ::write(file, text, 3) == 3 && ::pwrite(file, text, 3, 3) == 3 &&
         ::pwrite64(file, text, 3, 3) == 3 && ::writev(file, pieces, 2) == 3 &&
         ::sendfile(copy, file, &at, 3) == 3 &&
         ::copy_file_range(file, &begin, copy, nullptr, 3, 0) == 3 && ::fsync(file) == 0 &&
         ::fdatasync(file) == 0 && ::ftruncate(file, 2) == 0 && ::ftruncate64(file, 1) == 0 &&
         ::close(file) == 0 && ::close(copy) == 0;
}

bool change_names(int folder) {
  fs::create_directories("a/b");
  fs::rename("f", "a/f");
  fs::resize_file("a/f", 7);
  fs::remove("a/f");
  fs::remove("a/b");
  return ::rename("g", "h") == 0 && ::renameat(folder, "h", folder, "i") == 0 &&
         ::renameat2(folder, "i", folder, "j", 0) == 0 && ::mkdir("c", 0755) == 0 &&
         ::mkdirat(folder, "d", 0755) == 0 && ::truncate64("j", 0) == 0 && ::unlink("j") == 0 &&
         ::unlinkat(folder, "d", AT_REMOVEDIR) == 0 && ::rmdir("c") == 0;
}

}  // namespace

int main(int, char** arguments) {
  fs::current_path(arguments[1]);
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY);
  open_files(folder);
  return write_files() && change_names(folder) ? 0 : 1;
}
