package dev.millrace.kernels.fft;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of Fourier transforms. */
public final class SpectrumFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return name.equals(FrameSpectra.NAME) ? new FrameSpectra() : null;
    }
}
