package dev.millrace.codegen.key;

import org.jspecify.annotations.Nullable;

/** The families that keys may name. */
public interface KernelFamilies {
    /** The family of a name, or null if there is none. */
    @Nullable
    KernelFamily named(String name);
}
