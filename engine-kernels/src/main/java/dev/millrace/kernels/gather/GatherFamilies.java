package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of rows and elements by indices. */
public final class GatherFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ElementGather.NAME -> new ElementGather();
            case IndexTable.NAME -> new IndexTable();
            case RowMove.NAME -> new RowMove();
            case ElementPick.NAME -> new ElementPick();
            case ElementScatter.NAME -> new ElementScatter();
            case IndexRun.NAME -> new IndexRun();
            default -> null;
        };
    }
}
