package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.cast.ConvertFamily;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.Fetch;
import dev.millrace.kernels.gemm.GemmTile;
import dev.millrace.kernels.gemm.PairTile;

/** The kernels of products with stored weights of one format. */
final class WeightKernels {
    private record Types(FloatType from, FloatType to) {}

    private final KernelSet kernels;
    private final WeightFormat format;
    private final KernelCache<GemmTile.Variant> tiles;
    private final KernelCache<GemmTile.Variant> pairTiles;
    private final KernelCache<WeightRow.Variant> rows;
    private final KernelCache<Integer> decoding;
    private final KernelCache<Types> converting;
    private final DriverScratch arguments = new DriverScratch();

    WeightKernels(KernelSet kernels, WeightFormat format) {
        this.kernels = kernels;
        this.format = format;
        tiles = new KernelCache<>(kernels, GemmTile.Variant::key);
        pairTiles = new KernelCache<>(kernels, PairTile::key);
        rows = new KernelCache<>(kernels, WeightRow.Variant::key);
        decoding = new KernelCache<>(kernels, vectors -> DecodePanel.key(format, vectors));
        converting = new KernelCache<>(
                kernels,
                types -> ConvertFamily.key(types.from().number(), types.to().number(), false));
    }

    KernelSet set() {
        return kernels;
    }

    /** The memory for the arguments of tiles, of one thread. */
    DriverScratch arguments() {
        return arguments;
    }

    /** Returns the kernel that packs whole groups of blocks in their given order. */
    CompiledKernel packGroups() {
        var turned = format.type() == WeightType.INT4 ? PackQuads.Turned.HALVES_OF_BYTES : PackQuads.Turned.BYTES;
        return kernels.kernel(new PackQuads.Variant(turned, true).key());
    }

    /** Returns the kernel that packs scales of 32 bits, a row of a panel for each block. */
    CompiledKernel packScales() {
        return kernels.kernel(new PackQuads.Variant(PackQuads.Turned.NONE, true).key());
    }

    CompiledKernel tile(int rowsOfTile, int vectors, boolean masked, boolean accumulate, Epilogue epilogue) {
        return tiles.kernel(new GemmTile.Variant(rowsOfTile, vectors, masked, accumulate, epilogue));
    }

    /** Whether rows of bfloat16 are multiplied with these weights without conversion. */
    boolean multipliesPairs() {
        return format.type() == WeightType.BF16 && PairTile.fits(kernels.target());
    }

    /** @param far whether B is read once, from memory */
    CompiledKernel pairTile(
            int rowsOfTile, int vectors, boolean masked, boolean accumulate, boolean far, Epilogue epilogue) {
        Fetch fetch = far ? Fetch.SOON : Fetch.NONE;
        return pairTiles.kernel(
                new GemmTile.Variant(rowsOfTile, vectors, masked, accumulate, false, false, 1, fetch, epilogue));
    }

    /** @param panels the panels that are multiplied in turns */
    CompiledKernel row(int vectors, int panels, boolean rounded, boolean bias, Activation activation) {
        return rows.kernel(new WeightRow.Variant(format, vectors, panels, rounded, bias, activation));
    }

    /** Returns the kernel that rounds a row of A to bytes. */
    CompiledKernel round() {
        return kernels.kernel(RoundRow.key(format));
    }

    CompiledKernel decode(int vectors) {
        return decoding.kernel(vectors);
    }

    CompiledKernel convert(FloatType from, FloatType to) {
        return converting.kernel(new Types(from, to));
    }
}
