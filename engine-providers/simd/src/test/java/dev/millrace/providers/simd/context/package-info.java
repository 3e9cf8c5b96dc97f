@NullMarked
package dev.millrace.providers.simd.context;

import org.jspecify.annotations.NullMarked;
