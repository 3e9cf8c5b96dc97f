/** Runs folders of ONNX backend cases and compares what comes out with what should. */
@NullMarked
package dev.millrace.cli.conformance;

import org.jspecify.annotations.NullMarked;
