/**
 * Native memory: pages with their protection, blocks that the garbage collector reclaims, and the guard of mapped
 * files.
 */
@NullMarked
package dev.millrace.memory;

import org.jspecify.annotations.NullMarked;
