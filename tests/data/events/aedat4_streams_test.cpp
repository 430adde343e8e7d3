#include "spikenm/data/events/aedat4_streams.h"

#include "support/expect_error.h"

#include <string>

namespace spikenm::data {
namespace {

Aedat4Stream find(const std::string& xml) {
  return find_event_stream(xml, "a.aedat4");
}

std::string attr(const std::string& key, const std::string& text) {
  return "<attr key=\"" + key + "\" type=\"string\">" + text + "</attr>\n";
}

// A stream below `parent`, as DV writes it.
std::string stream(const std::string& parent, int id, const std::string& type) {
  const std::string number = std::to_string(id), path = parent + number + "/";
  return "<node name=\"" + number + "\" path=\"" + path + "\">\n" + attr("compression", "LZ4") +
         attr("typeIdentifier", type) + "<node name=\"info\" path=\"" + path + "info/\">\n" +
         attr("sizeX", "34" + number) + attr("sizeY", "260") + attr("source", "DAVIS346_00000002") +
         "</node>\n</node>\n";
}

std::string list_at(const std::string& parent, const std::string& streams) {
  return "<dv version=\"2.0\">\n<node name=\"outInfo\" path=\"" + parent + "\">\n" + streams +
         "</node>\n</dv>\n";
}

TEST(Aedat4Streams, AListIsReadWhereverTheHeaderPutsIt) {
  for (const char* parent : {"/outInfo/", "/mainloop/Recorder/outInfo/", "/mainloop/out/outInfo/",
                             "/somebody/elses/place/", ""}) {
    const Aedat4Stream found =
        find(list_at(parent, stream(parent, 1, "FRME") + stream(parent, 6, "EVTS")));
    EXPECT_EQ(found.id, 6) << parent;
    EXPECT_EQ(found.width, 346) << parent;
    EXPECT_EQ(found.height, 260) << parent;
    EXPECT_EQ(found.n_event_streams, 1) << parent;
  }
}

TEST(Aedat4Streams, TheLowestNumberOfSeveralIsTakenAndTheyAreCounted) {
  const std::string parent = "/mainloop/Recorder/outInfo/";
  const Aedat4Stream found = find(list_at(
      parent, stream(parent, 5, "EVTS") + stream(parent, 2, "EVTS") + stream(parent, 0, "IMUS")));
  EXPECT_EQ(found.id, 2);
  EXPECT_EQ(found.width, 342);
  EXPECT_EQ(found.n_event_streams, 2);
}

TEST(Aedat4Streams, NodesMayHaveNoPathOrNoName) {
  EXPECT_EQ(find("<node name=\"3\">" + attr("typeIdentifier", " EVTS\n") + "<node name=\"info\">" +
                 attr("sizeX", "7") + "</node></node>")
                .width,
            7);
  const Aedat4Stream found =
      find("<node path=\"/outInfo/9/\">" + attr("typeIdentifier", "EVTS") + "</node>");
  EXPECT_EQ(found.id, 9);
  EXPECT_EQ(found.width, 0);
}

TEST(Aedat4Streams, SizesMayComeBeforeTheType) {
  EXPECT_EQ(find("<node name=\"0\"><node name=\"info\">" + attr("sizeX", "7") + attr("sizeY", "8") +
                 "</node>" + attr("typeIdentifier", "EVTS") + "</node>")
                .height,
            8);
}

TEST(Aedat4Streams, AListWithoutANumberedEventStreamIsRefused) {
  for (const std::string& xml :
       {std::string(), list_at("/outInfo/", stream("/outInfo/", 0, "FRME")),
        "<node name=\"first\">" + attr("typeIdentifier", "EVTS") + "</node>",
        "<node name=\"-1\">" + attr("typeIdentifier", "EVTS") + "</node>",
        "<node name=\"0\"/>" + attr("typeIdentifier", "EVTS")})
    EXPECT_ERROR(find(xml), "a.aedat4: found no event stream");
}

TEST(Aedat4Streams, SizesThatCannotBeAreRefused) {
  for (const char* side : {"-4", "32769", "many", "1e3"})
    EXPECT_ERROR(find("<node name=\"0\">" + attr("typeIdentifier", "EVTS") +
                      "<node name=\"info\">" + attr("sizeY", side) + "</node></node>"),
                 "a.aedat4: found '", side, "wanted a number up to 32768");
}

TEST(Aedat4Streams, AListOfManyMegabytesIsRefused) {
  EXPECT_ERROR(find(std::string((16 << 20) + 1, ' ')), "a.aedat4", "16777217 characters");
}

}  // namespace
}  // namespace spikenm::data
