/**
 * Memory for machine code, calls into it and recordings of calls, and the probe of what this machine supports.
 *
 * <p>The foreign linker costs some 40 ms at its first use. Nothing here touches it before {@link
 * dev.millrace.codegen.code.Platform#probe} does.
 */
@NullMarked
package dev.millrace.codegen.code;

import org.jspecify.annotations.NullMarked;
