package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of recurrent layers. */
public final class RecurrentFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case GruStep.NAME -> new GruStep();
            case LstmStep.NAME -> new LstmStep();
            case RnnStep.NAME -> new RnnStep();
            default -> null;
        };
    }
}
