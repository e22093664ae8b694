# Run by the installation of the documents: what links to files of the sources alone, which no package has, says so in words.
# tests/package finds a link that is left and leads nowhere.
set(doc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/walduct")
file(GLOB_RECURSE pages "${doc}/*.md")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  string(REGEX REPLACE "\\[[^][]*\\]\\((\\.\\./)*((CONTRIBUTING|ARCHITECTURE)\\.md|docker/?|bench/[^)]*)\\)" "`\\2` of the sources" words "${text}")
  if(NOT words STREQUAL text)
    file(WRITE "${page}" "${words}")
  endif()
endforeach()
