package dev.millrace.kernels.norm;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of normalisations. */
public final class NormFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ChannelScale.NAME -> new ChannelScale(false);
            case ChannelScale.CENTRED -> new ChannelScale(true);
            case FoldChannels.NAME -> new FoldChannels();
            case MomentsKernel.NAME -> new MomentsKernel();
            case NormRows.NAME -> new NormRows();
            default -> null;
        };
    }
}
