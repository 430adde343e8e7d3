#include "spikenm/data/formats/hdf5_objects.h"

#include "support/expect_error.h"
#include "support/hdf5_file.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

using namespace test;

TEST(Hdf5Objects, FindsObjectsByTheirPath) {
  for (const char* name : {"pytables_f16", "h5py_f64", "h5py_latest", "h5py_user_block"}) {
    const std::string bytes = hdf5_written_by(name);
    const Hdf5Objects objects(as_bytes(bytes), name);
    EXPECT_TRUE(objects.find("")) << name;
    EXPECT_TRUE(objects.find("spikes")) << name;
    EXPECT_TRUE(objects.find("spikes/units")) << name;
    EXPECT_TRUE(objects.find("labels")) << name;
    EXPECT_FALSE(objects.find("label")) << name;
    EXPECT_FALSE(objects.find("labels2")) << name;
    EXPECT_FALSE(objects.find("spikes/")->empty()) << name;
    EXPECT_FALSE(objects.find("spikes//units")) << name;
  }
}

TEST(Hdf5Objects, GroupsOfManyLinksAreReadInTheOldFormAndRefusedInTheNew) {
  const std::string old = hdf5_written_by("h5py_deep");
  const Hdf5Objects deep(as_bytes(old), "deep.h5");
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(deep.find(fmt::format("group_{}/numbers", i))) << i;
  EXPECT_FALSE(deep.find("group_60"));
  const std::string many = hdf5_written_by("h5py_many_links");
  const Hdf5Objects objects(as_bytes(many), "many.h5");
  EXPECT_ERROR(objects.find("many/d3"), "many.h5", "many links", "libver='latest'");
}

TEST(Hdf5Objects, RefusesWhatIsNotHdf5) {
  for (const std::string& bytes : {std::string(), std::string("\x89HDF\r\n\x1a"),
                                   std::string(5000, '\0'), std::string("PK\3\4 a zip file")}) {
    EXPECT_ERROR(Hdf5Objects(as_bytes(bytes), "x.h5"), "x.h5: ", "no HDF5 signature");
  }
  std::string file = hdf5_written_by("h5py_f64");
  file[8] = 7;
  EXPECT_ERROR(Hdf5Objects(as_bytes(file), "x.h5"), "superblock version 7", "wanted 0 to 3");
  file[8] = 0;
  file[13] = 4;
  EXPECT_ERROR(Hdf5Objects(as_bytes(file), "x.h5"), "addresses of 4", "wanted 8");
}

TEST(Hdf5Objects, HeadersThatRunInACircleAreRefused) {
  // A continuation message that names its own block: 2 bytes size, flags, then address and length.
  Hdf5Writer writer;
  std::string file = writer.file(writer.add_group({{"aaaaaaaaaaaa", 0}}));
  const size_t header = file.find("OHDR");
  const std::string message = le<uint8_t>(0x10) + le<uint16_t>(16) + le<uint8_t>(0) +
                              le(static_cast<uint64_t>(header + 6)) + le<uint64_t>(32);
  file.replace(header + 10, message.size(), message);
  const Hdf5Objects objects(as_bytes(file), "f.h5");
  EXPECT_ERROR(objects.find("d"), "f.h5", "runs in a circle");
}

TEST(Hdf5Objects, TreesThatRunInACircleAreRefused) {
  // One B-tree node of level 1 whose two children are itself.
  const std::string link = le<uint64_t>(0) + le<uint64_t>(48);
  Hdf5Writer writer;
  writer.add_dataset(
      hdf5_integer(1, false), 1,
      std::string("TREE\0\1", 6) + le<uint16_t>(2) + std::string(16, '\0') + link + link);
  const std::string file = writer.file(48);
  EXPECT_ERROR(Hdf5Objects(as_bytes(file), "f.h5").tree(48, 0, 8), "f.h5", "runs in a circle");
  EXPECT_ERROR(Hdf5Objects(as_bytes(file), "f.h5").tree(48, 1, 8), "f.h5", "wrong kind");
  EXPECT_ERROR(Hdf5Objects(as_bytes(file), "f.h5").tree(50, 0, 8), "f.h5", "no B-tree node");
}

}  // namespace
}  // namespace spikenm::data
