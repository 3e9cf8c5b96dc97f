/** The Open Inference Protocol by gRPC. */
@NullMarked
package dev.millrace.server.grpc;

import org.jspecify.annotations.NullMarked;
