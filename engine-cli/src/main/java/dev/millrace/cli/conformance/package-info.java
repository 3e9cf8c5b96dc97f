/** The conformance runner: runs folders of ONNX backend cases and compares their outputs with the expected ones. */
@NullMarked
package dev.millrace.cli.conformance;

import org.jspecify.annotations.NullMarked;
