// The functions of GSSAPI that libpq calls, from the machine's own library, which is loaded when a login or encryption by Kerberos
// is tried: Kerberos works where it is installed, and nothing else needs it.
#include <dlfcn.h>
#include <gssapi/gssapi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static gss_OID_desc host_based_service = {10, (void*)"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
gss_OID GSS_C_NT_HOSTBASED_SERVICE = &host_based_service;

static void* library;

static void Load(void) { library = dlopen("libgssapi_krb5.so.2", RTLD_NOW | RTLD_LOCAL); }

static void* Find(const char* name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, Load);
  return library ? dlsym(library, name) : NULL;
}

// FORWARD(name, (parameters), (arguments)): refused where the library is not.
#define FORWARD(name, parameters, arguments)        \
  OM_uint32 name parameters {                       \
    OM_uint32(*const call) parameters;              \
    *(void**)&call = Find(#name);                   \
    if (call) return call arguments;                \
    *minor = 0;                                     \
    return GSS_S_UNAVAILABLE;                       \
  }

FORWARD(gss_acquire_cred,
        (OM_uint32* minor, gss_name_t name, OM_uint32 time, gss_OID_set mechs, gss_cred_usage_t usage,
         gss_cred_id_t* cred, gss_OID_set* actual, OM_uint32* lifetime),
        (minor, name, time, mechs, usage, cred, actual, lifetime))
FORWARD(gss_release_cred, (OM_uint32* minor, gss_cred_id_t* cred), (minor, cred))
FORWARD(gss_import_name, (OM_uint32* minor, gss_buffer_t text, gss_OID type, gss_name_t* name),
        (minor, text, type, name))
FORWARD(gss_release_name, (OM_uint32* minor, gss_name_t* name), (minor, name))
FORWARD(gss_init_sec_context,
        (OM_uint32* minor, gss_cred_id_t cred, gss_ctx_id_t* context, gss_name_t target, gss_OID mech,
         OM_uint32 flags, OM_uint32 time, gss_channel_bindings_t bindings, gss_buffer_t in, gss_OID* actual,
         gss_buffer_t out, OM_uint32* got, OM_uint32* lifetime),
        (minor, cred, context, target, mech, flags, time, bindings, in, actual, out, got, lifetime))
FORWARD(gss_delete_sec_context, (OM_uint32* minor, gss_ctx_id_t* context, gss_buffer_t out),
        (minor, context, out))
FORWARD(gss_wrap,
        (OM_uint32* minor, gss_ctx_id_t context, int conf, gss_qop_t qop, gss_buffer_t in, int* state, gss_buffer_t out),
        (minor, context, conf, qop, in, state, out))
FORWARD(gss_unwrap,
        (OM_uint32* minor, gss_ctx_id_t context, gss_buffer_t in, gss_buffer_t out, int* state, gss_qop_t* qop),
        (minor, context, in, out, state, qop))
FORWARD(gss_wrap_size_limit,
        (OM_uint32* minor, gss_ctx_id_t context, int conf, gss_qop_t qop, OM_uint32 wanted, OM_uint32* most),
        (minor, context, conf, qop, wanted, most))

// Of what Find could not load: in libpq's own words after "could not initiate GSSAPI security context".
OM_uint32 gss_display_status(OM_uint32* minor, OM_uint32 status, int type, gss_OID mech, OM_uint32* more,
                             gss_buffer_t text) {
  OM_uint32 (*call)(OM_uint32*, OM_uint32, int, gss_OID, OM_uint32*, gss_buffer_t);
  *(void**)&call = Find("gss_display_status");
  if (call) return call(minor, status, type, mech, more, text);
  *minor = 0;
  *more = 0;
  text->value = strdup(type == GSS_C_GSS_CODE ? "Kerberos is not installed (libgssapi_krb5.so.2)" : "");
  text->length = text->value ? strlen(text->value) : 0;
  return text->value ? GSS_S_COMPLETE : GSS_S_FAILURE;
}

OM_uint32 gss_release_buffer(OM_uint32* minor, gss_buffer_t buffer) {
  OM_uint32 (*call)(OM_uint32*, gss_buffer_t);
  *(void**)&call = Find("gss_release_buffer");
  if (call) return call(minor, buffer);
  *minor = 0;
  free(buffer->value);
  buffer->value = NULL;
  buffer->length = 0;
  return GSS_S_COMPLETE;
}
