package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of fp32 convolutions. */
public final class ConvFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ChannelTile.NAME -> new ChannelTile();
            case ConvTile.NAME -> new ConvTile();
            case ReorderTile.NAME -> new ReorderTile();
            case WinogradInput.NAME -> new WinogradInput();
            case WinogradOutput.NAME -> new WinogradOutput();
            default -> null;
        };
    }
}
