// Stores that keytool of JDK 17 wrote (-storetype JKS), in base64.
#pragma once

namespace walduct::security {

// Alias client: an EC key with its self-signed certificate. Store: changeit, key: secretkey.
inline constexpr char kJksKeyStore[] =
    "/u3+7QAAAAIAAAABAAAAAQAGY2xpZW50AAABogI54mAAAAB/MH0wDgYKKwYBBAEqAhEBAQUABGvB"
    "vn8C+tnKCDRGmR3B7KTYiRbbG79tHw8meCCL0Qbi/GglQpORDarUnboXrWncI1gD4EEBL39k8Baw"
    "xHa/VNqpMH4QcNgAX+7EdLaHeXo0gSyyK2ud/Mw0LndtHksXeSPKULOyUcY7Q+n1vQAAAAEABVgu"
    "NTA5AAABPzCCATswgeKgAwIBAgIJALl+5PwWCzBcMAoGCCqGSM49BAMCMBExDzANBgNVBAMTBmNs"
    "aWVudDAgFw0yNjExMjIwNzQ3NTdaGA8yMTI2MTAyOTA3NDc1N1owETEPMA0GA1UEAxMGY2xpZW50"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIu4u1qQDtPTqyx0uyS16Iu+Qla2F4u6bnNW15mZr"
    "IhCvei6W/dfPoPT1eA7eoFuHFp7KQVPEsoShhsCrtw6gb6MhMB8wHQYDVR0OBBYEFM9IbnoIrP9F"
    "Id6ZcE+qkCUPiybXMAoGCCqGSM49BAMCA0gAMEUCIQDDuEW0gCUwNn88xMC3+PbQZepTAGo1idTy"
    "vwc15cllMgIgPhS3jK8a8ybBmu8uQpXJG+JLqPmpH/yD/HcbxlPEkO2l0Z7iPRz7u1wMYiGAduAs"
    "+Ql4Ow==";

// Alias "ca gr": the same certificate, trusted. Store: changeit.
inline constexpr char kJksTrustStore[] =
    "/u3+7QAAAAIAAAABAAAAAgAFY2EgZ3IAAAGiAjnz+QAFWC41MDkAAAE/MIIBOzCB4qADAgECAgkA"
    "uX7k/BYLMFwwCgYIKoZIzj0EAwIwETEPMA0GA1UEAxMGY2xpZW50MCAXDTI2MTEyMjA3NDc1N1oY"
    "DzIxMjYxMDI5MDc0NzU3WjARMQ8wDQYDVQQDEwZjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMB"
    "BwNCAAQi7i7WpAO09OrLHS7JLXoi75CVrYXi7puc1bXmZmsiEK96Lpb918+g9PV4Dt6gW4cWnspB"
    "U8SyhKGGwKu3DqBvoyEwHzAdBgNVHQ4EFgQUz0huegis/0Uh3plwT6qQJQ+LJtcwCgYIKoZIzj0E"
    "AwIDSAAwRQIhAMO4RbSAJTA2fzzEwLf49tBl6lMAajWJ1PK/BzXlyWUyAiA+FLeMrxrzJsGa7y5C"
    "lckb4kuo+akf/IP8dxvGU8SQ7XSBEsmu9qv9OPtDHoj56FV0H+sc";

}  // namespace walduct::security
