/**
 * Memory that holds machine code, calls into it, and what this machine allows of either.
 *
 * <p>The foreign linker costs some 40 ms at its first use. Nothing here touches it before
 * {@link dev.millrace.codegen.code.Platform#probe} does.
 */
@NullMarked
package dev.millrace.codegen.code;

import org.jspecify.annotations.NullMarked;
