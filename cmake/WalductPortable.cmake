# walduct_portable, the program of a release (scripts/package release): the same rooms, linked with archives and against glibc 2.31,
# so that one file per architecture runs on every later distribution. Only glibc and libgcc_s stay outside. WALDUCT_PORTABLE is
# what scripts/deps portable made. A build for this machine needs nothing but the link.
set(lib ${WALDUCT_PORTABLE}/lib)
set(debian ${WALDUCT_PORTABLE}/debian/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(libc ${WALDUCT_PORTABLE}/libc)
get_property(rooms DIRECTORY src PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER rooms INCLUDE REGEX "^walduct_")
set(archives "")
foreach(room IN LISTS rooms)
  get_target_property(type ${room} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND archives $<TARGET_FILE:${room}>)
    list(APPEND made ${room})
  endif()
endforeach()
file(GLOB abseil ${debian}/libabsl_*.a)

add_executable(walduct_portable EXCLUDE_FROM_ALL src/main.cc)
add_dependencies(walduct_portable ${made})
target_include_directories(walduct_portable PRIVATE src)
target_link_libraries(walduct_portable PRIVATE walduct_flags walduct_hardening -Wl,--start-group ${archives} ${lib}/librdkafka.a ${lib}/libpq.a
  ${lib}/libpgcommon_shlib.a ${lib}/libpgport_shlib.a ${lib}/libcurl.a ${lib}/libgnutls.a ${lib}/libgnu.a ${lib}/gssapi.o ${lib}/compat.o ${debian}/libssl.a
  ${debian}/libcrypto.a ${debian}/libmicrohttpd.a ${debian}/libhogweed.a ${debian}/libnettle.a ${debian}/libgmp.a ${debian}/libtasn1.a
  ${debian}/libpcre2-8.a ${debian}/libyaml.a ${debian}/libhiredis.a ${debian}/librabbitmq.a ${debian}/libzstd.a ${debian}/libz.a ${abseil} -Wl,--end-group)
# As of target walduct (src/CMakeLists.txt). Weak: what src/http/curl_library.cc calls. libpthread and libdl are libraries of their own in
# glibc 2.31, whose start files are used, too.
target_link_options(walduct_portable PRIVATE -static-libstdc++ -Wl,--wrap=sendmsg -Wl,--wrap=SSL_write -Wl,-u,curl_global_init
  -Wl,-u,curl_easy_init -Wl,-u,curl_multi_init -Wl,-u,curl_easy_strerror -Wl,-u,curl_slist_append --sysroot=${libc}
  -B${libc}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L${libc}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -L${libc}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
  -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state)
set_target_properties(walduct_portable PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable OUTPUT_NAME walduct)
