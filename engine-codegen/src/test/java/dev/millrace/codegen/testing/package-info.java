/** Helpers that the tests of several modules share. */
@NullMarked
package dev.millrace.codegen.testing;

import org.jspecify.annotations.NullMarked;
