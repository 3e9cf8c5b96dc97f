/** Tests of normalisations. */
@NullMarked
package dev.millrace.providers.cpu.norm;

import org.jspecify.annotations.NullMarked;
