/** Tests that run over this module and over DJL's jar, which a class loader of its own loads. */
@NullMarked
package dev.millrace.djl;

import org.jspecify.annotations.NullMarked;
