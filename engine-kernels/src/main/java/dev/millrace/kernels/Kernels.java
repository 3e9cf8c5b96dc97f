package dev.millrace.kernels;

import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.code.CodeArena;
import dev.millrace.codegen.code.CodeMap;
import dev.millrace.codegen.code.CodeStore;
import dev.millrace.codegen.code.KernelLevel;
import dev.millrace.codegen.code.Platform;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.bytecode.VectorApiLowering;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.codegen.program.x86.X86Lowering;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Gemm;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of a process, or of a test: the level of its processor, the code emitted so far, and the products and
 * expressions that run on it. Safe for use by several threads.
 */
public final class Kernels implements AutoCloseable {
    /** The property that, if {@code true}, has a map of emitted code written for perf. */
    public static final String PERF_MAP_PROPERTY = "millrace.kernels.perfmap";

    /**
     * The property with the width of vectors where kernels run on the Vector API: {@code 128}, {@code 256},
     * {@code 512}.
     */
    public static final String VECTOR_BITS_PROPERTY = "millrace.kernels.vectorbits";

    /**
     * The property with the file in which a process keeps its emitted code for later ones, which do not assemble it
     * again. The kernels of the process read it, if their classes come from archives.
     */
    public static final String CODE_PROPERTY = "millrace.code";

    /** Holder of the kernels of the process, which probes at its first use, since that costs some 50 ms. */
    private static final class Shared {
        static final Kernels INSTANCE = first();

        private static Kernels first() {
            LinkerWarmUp.start();
            return open(System::getProperty, true);
        }
    }

    private final Platform platform;
    private final CodeMap map;
    private final CodeArena code;
    private final Lowering lowering;
    private final KernelSet kernels;
    private final Gemm gemm;

    private Kernels(
            Platform platform, CodeMap map, CodeArena code, @Nullable String vectorBits, @Nullable CodeStore store) {
        this.platform = platform;
        this.map = map;
        this.code = code;
        lowering = lowering(vectorBits, store);
        kernels = new KernelSet(lowering, Families.ALL);
        gemm = new Gemm(kernels);
    }

    /** The kernels of this process, never to be closed. */
    public static Kernels shared() {
        return Shared.INSTANCE;
    }

    /** Starts a thread that initialises {@link #shared()}, while the caller does something else. */
    public static void foresee() {
        Thread thread = new Thread(Kernels::shared, "millrace-kernels-probe");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Returns kernels whose code is freed when they are closed.
     *
     * @param properties system properties by name, null for an absent one; {@link Platform#LEVEL_PROPERTY} forces a
     *     level
     */
    public static Kernels open(Function<String, @Nullable String> properties) {
        return open(properties, false);
    }

    private static Kernels open(Function<String, @Nullable String> properties, boolean forever) {
        boolean perf = Boolean.parseBoolean(properties.apply(PERF_MAP_PROPERTY));
        CodeMap map = new CodeMap(perf ? CodeMap.perfMapOfThisProcess() : null);
        CodeArena code = forever ? CodeArena.ofProcess(map) : new CodeArena(map);
        Platform platform = Platform.probe(properties, map);
        String kept = forever ? properties.apply(CODE_PROPERTY) : null;
        CodeStore store = kept == null || kept.isEmpty() ? null : store(Path.of(kept), platform);
        return new Kernels(platform, map, code, properties.apply(VECTOR_BITS_PROPERTY), store);
    }

    /**
     * Returns the code that this build has emitted for this processor; null where this build cannot be distinguished
     * from others.
     */
    private static @Nullable CodeStore store(Path file, Platform platform) {
        String build = CodeStore.build(CodeStore.class, Kernels.class);
        return build == null ? null : CodeStore.ofProcess(file, build + platform.level() + '\n' + platform.features());
    }

    private Lowering lowering(@Nullable String vectorBits, @Nullable CodeStore store) {
        return switch (platform.level()) {
            case AVX512 -> new X86Lowering(Target.AVX512.with(dots()), platform.features(), code, store);
            case AVX2 -> new X86Lowering(Target.AVX2, platform.features(), code, store);
            case VECTOR_API -> new VectorApiLowering(vectorBits(vectorBits));
            case PLAIN -> new PlainLowering(Target.PLAIN);
        };
    }

    private static int vectorBits(@Nullable String wanted) {
        return switch (wanted) {
            case null -> VectorApiLowering.preferredBits();
            case "128" -> 128;
            case "256" -> 256;
            case "512" -> 512;
            default ->
                throw new IllegalArgumentException(
                        VECTOR_BITS_PROPERTY + " is " + wanted + ", but must be one of 128, 256, 512");
        };
    }

    private Set<DotOp> dots() {
        Set<DotOp> dots = EnumSet.noneOf(DotOp.class);
        if (platform.features().has(Feature.AVX512_VNNI)) {
            dots.add(DotOp.U8S8);
        }
        if (platform.features().has(Feature.AVX512_BF16)) {
            dots.add(DotOp.BF16);
        }
        return dots;
    }

    /** The kernels by key, for the drivers of the families. */
    public KernelSet set() {
        return kernels;
    }

    /** The lowering of this level, for programs that belong to no family. */
    public Lowering lowering() {
        return lowering;
    }

    public KernelLevel level() {
        return platform.level();
    }

    /** The result of the probe, with one line that gives the reason for a level lower than the best. */
    public Platform platform() {
        return platform;
    }

    /** The addresses of the emitted code. */
    public CodeMap codeMap() {
        return map;
    }

    /** Products of fp32 matrices. */
    public Gemm gemm() {
        return gemm;
    }

    /** Returns an expression over floats, ready to be run. */
    public Elementwise elementwise(Expr expression) {
        return new Elementwise(kernels, expression, DataType.F32);
    }

    /**
     * Emits the kernels of some keys now rather than at their first use.
     *
     * @throws IllegalArgumentException if a key is not known or has a wrong parameter; the message names it
     */
    public void prepare(List<KernelKey> keys) {
        kernels.kernels(keys);
    }

    /** Returns the program of a key, for a reader. */
    public Program describe(KernelKey key) {
        return kernels.describe(key);
    }

    /**
     * Frees the code. Calls of a kernel after that throw an {@link IllegalStateException}.
     *
     * @throws UnsupportedOperationException if these are the kernels of the process
     */
    @Override
    public void close() {
        code.close();
    }
}
