/// Measures the model server from another process, beside a plain service with ONNX Runtime.
@NullMarked
package dev.millrace.bench.server;

import org.jspecify.annotations.NullMarked;
