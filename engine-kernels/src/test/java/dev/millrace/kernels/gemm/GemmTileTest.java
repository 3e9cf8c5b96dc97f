package dev.millrace.kernels.gemm;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.x86.X86Lowering;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GemmTileTest {
    private static final GemmTile FAMILY = new GemmTile();

    private static Target target(int lanes) {
        return lanes == 16 ? Target.AVX512 : Target.AVX2;
    }

    private static void assemble(GemmTile.Variant variant, Target target) {
        Assembler assembler = X86Lowering.assemble(FAMILY.describe(variant.key(), target), FeatureSet.all(), false);
        assertTrue(assembler.finish().length > 0);
    }

    /** No product meets a tile that has too few registers. */
    @ParameterizedTest
    @ValueSource(ints = {8, 16})
    void everyTileOfTheDriverFitsTheRegisters(int lanes) {
        GemmShape shape = GemmShape.of(target(lanes));
        for (int rows = 1; rows <= shape.rows(); rows++) {
            for (int vectors = 1; vectors <= shape.vectors(); vectors++) {
                for (Activation activation : Activation.values()) {
                    for (int flags = 0; flags < 32; flags++) {
                        Epilogue epilogue = Epilogue.of((flags & 1) != 0, activation);
                        int panels = shape.panelsAtOnce(rows, (flags & 16) != 0, target(lanes));
                        assemble(
                                new GemmTile.Variant(
                                        rows,
                                        vectors,
                                        (flags & 2) != 0,
                                        (flags & 4) != 0,
                                        (flags & 8) != 0,
                                        (flags & 16) != 0,
                                        panels,
                                        panels == 1 ? Fetch.values()[flags % 3] : Fetch.SOON,
                                        epilogue),
                                target(lanes));
                    }
                }
            }
        }
    }

    @Test
    void aTileThatIsTooLargeIsRefusedByName() {
        KernelKey key = new GemmTile.Variant(6, 4, false, false, Epilogue.NONE).key();
        Exception refusal = assertThrows(
                IllegalArgumentException.class,
                () -> X86Lowering.assemble(FAMILY.describe(key, Target.AVX2), FeatureSet.all(), false));
        assertTrue(refusal.toString().contains(key.toString()), refusal.toString());
    }
}
