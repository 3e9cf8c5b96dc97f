package dev.millrace.graph.op;

import dev.millrace.graph.ir.OpId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The schemas of ONNX's domains, of EPContext, and of the engine's own operators. */
public final class Schemas {
    private static final Map<String, String> FILES = Map.of(
            OpId.ONNX,
            "ai.onnx.txt",
            OpId.ONNX_ML,
            "ai.onnx.ml.txt",
            OpId.ONNX_PREVIEW,
            "ai.onnx.preview.txt",
            OpId.ONNX_TRAINING,
            "ai.onnx.preview.training.txt",
            OpId.MICROSOFT,
            "com.microsoft.txt",
            OpId.MILLRACE,
            "dev.millrace.txt");

    /** A cache of the parsed resources; it does not affect results. */
    private static final Map<String, SchemaFile> LOADED = new ConcurrentHashMap<>();

    private Schemas() {}

    /** Returns the version of {@code op} that applies in {@code opset}, or null where there is none. */
    public static @Nullable OperatorSchema find(OpId op, int opset) {
        SchemaFile file = file(op.domain());
        return file == null ? null : file.find(op.name(), opset);
    }

    /** Whether {@code op} has {@code trait}; false for unknown operators. */
    public static boolean has(OpId op, Trait trait) {
        return traits(op).contains(trait);
    }

    /** The traits of {@code op}, which callers must not change. */
    public static Set<Trait> traits(OpId op) {
        SchemaFile file = file(op.domain());
        return file == null ? Set.of() : file.traits(op.name());
    }

    /** Whether the table defines {@code op} by other operators; false for unknown operators. */
    public static boolean isDefined(OpId op) {
        SchemaFile file = file(op.domain());
        return file != null && file.isDefined(op.name());
    }

    /** The definitions of a version's outputs by other operators; empty where there are none. */
    public static List<Definition> definitions(OperatorSchema schema) {
        return load(schema.op().domain()).definitions(schema);
    }

    /** ONNX's own operators that have {@code trait}, by name. */
    public static List<OpId> with(Trait trait) {
        return load(OpId.ONNX).with(trait);
    }

    /** The opset in which {@code op} appeared, or -1 where it is unknown. */
    public static int firstVersion(OpId op) {
        SchemaFile file = file(op.domain());
        return file == null ? -1 : file.firstVersion(op.name());
    }

    /** The opset in which an operator of {@code domain} changed last, or -1 where the domain is unknown. */
    public static int newestVersion(String domain) {
        SchemaFile file = file(domain);
        return file == null ? -1 : file.newestVersion();
    }

    /** Every version of every operator, by domain, name and version. */
    public static List<OperatorSchema> all() {
        return FILES.keySet().stream()
                .flatMap(domain -> load(domain).all().stream())
                .sorted(Comparator.comparing(
                                (OperatorSchema schema) -> schema.op().domain())
                        .thenComparing(schema -> schema.op().name())
                        .thenComparing(OperatorSchema::since))
                .toList();
    }

    private static @Nullable SchemaFile file(String domain) {
        return FILES.containsKey(domain) ? load(domain) : null;
    }

    private static SchemaFile load(String domain) {
        return LOADED.computeIfAbsent(domain, key -> {
            String file = FILES.get(key);
            if (file == null) {
                throw new IllegalArgumentException("no schemas of domain " + key);
            }
            return SchemaFile.load(key, file);
        });
    }
}
