package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Kernel;
import dev.millrace.kernels.call.Scratch;
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
    private final Scratch arguments = new Scratch();

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
    Scratch arguments() {
        return arguments;
    }

    /** Returns the kernel that packs whole groups of blocks in their given order. */
    Kernel packGroups() {
        var turned = format.type() == WeightType.INT4 ? PackFours.Turned.HALVES_OF_BYTES : PackFours.Turned.BYTES;
        return kernels.kernel(new PackFours.Variant(turned, true).key());
    }

    /** Returns the kernel that packs scales of 32 bits, a row of a panel for each block. */
    Kernel packScales() {
        return kernels.kernel(new PackFours.Variant(PackFours.Turned.NONE, true).key());
    }

    Kernel tile(int rowsOfTile, int vectors, boolean masked, boolean accumulate, Epilogue epilogue) {
        return tiles.kernel(new GemmTile.Variant(rowsOfTile, vectors, masked, accumulate, epilogue));
    }

    /** Whether rows of bfloat16 are multiplied with these weights without conversion. */
    boolean multipliesPairs() {
        return format.type() == WeightType.BF16 && PairTile.fits(kernels.target());
    }

    /** @param far whether B is read once, from memory */
    Kernel pairTile(int rowsOfTile, int vectors, boolean masked, boolean accumulate, boolean far, Epilogue epilogue) {
        Fetch fetch = far ? Fetch.SOON : Fetch.NONE;
        return pairTiles.kernel(
                new GemmTile.Variant(rowsOfTile, vectors, masked, accumulate, false, false, 1, fetch, epilogue));
    }

    Kernel row(int vectors, boolean rounded, boolean bias, Activation activation) {
        return rows.kernel(new WeightRow.Variant(format, vectors, rounded, bias, activation));
    }

    /** Returns the kernel that rounds a row of A to bytes. */
    Kernel round() {
        return kernels.kernel(RoundRow.key(format));
    }

    Kernel decode(int vectors) {
        return decoding.kernel(vectors);
    }

    Kernel convert(FloatType from, FloatType to) {
        return converting.kernel(new Types(from, to));
    }
}
