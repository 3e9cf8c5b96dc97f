package dev.millrace.kernels;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.codegen.program.x86.X86Lowering;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmPack;
import dev.millrace.kernels.gemm.GemmTile;

/**
 * Writes and assembles a kernel that nobody calls. Beside the first use of the foreign linker, which keeps one core busy
 * for tens of milliseconds, this loads the classes that the first real kernel needs.
 */
final class LinkerWarmUp implements Runnable {
    private LinkerWarmUp() {}

    static void start() {
        Thread thread = new Thread(new LinkerWarmUp(), "millrace-kernels-warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        GemmTile tile = new GemmTile();
        GemmTile.Variant variant = new GemmTile.Variant(1, 1, true, true, Epilogue.NONE);
        X86Lowering.assemble(tile.describe(variant.key(), Target.AVX2), FeatureSet.all(), false)
                .finish();
        new KernelSet(new PlainLowering(Target.AVX2), Families.ALL).describe(GemmPack.key(1));
    }
}
