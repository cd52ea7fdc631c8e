# cmake -DFOLDER=web/dist -DOUTPUT=page.cpp -P EmbedPage.cmake: the files of a folder as a C++ source (serve/page.h).
set(types html=text/html js=text/javascript css=text/css svg=image/svg+xml)

file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(arrays "")
set(entries "")
set(number 0)
foreach(file IN LISTS files)
  string(REGEX REPLACE "^.*\\." "" extension ${file})
  set(type "")
  foreach(pair IN LISTS types)
    if(pair MATCHES "^${extension}=(.*)$")
      set(type ${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(NOT type)
    continue() # the note of what the page was built from
  endif()
  file(READ ${FOLDER}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND entries "    {\"${file}\", \"${type}; charset=utf-8\", {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(number EQUAL 0)
  message(FATAL_ERROR "${FOLDER} holds no page")
endif()

file(WRITE ${OUTPUT} "#include \"serve/page.h\"

namespace snapcube {

namespace {

${arrays}
const PageFile kFiles[] = {
${entries}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace snapcube
")
