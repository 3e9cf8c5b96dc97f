/** A Spring Boot service over ONNX Runtime. */
@NullMarked
package dev.millrace.bench.spring;

import org.jspecify.annotations.NullMarked;
