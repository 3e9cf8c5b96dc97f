package dev.millrace.example.rag;

import java.nio.file.Path;
import java.util.List;

/**
 * The parts under an index: a framework, its model of embeddings, and what runs it. All compute with all-MiniLM-L6-v2. A process has the jars
 * of one stack.
 */
enum Stack {
    LANGCHAIN4J_STOCK("LangChain4j", "own model, ONNX Runtime"),
    LANGCHAIN4J_DROP_IN("LangChain4j", "own model, drop-ins"),
    LANGCHAIN4J_MILLRACE("LangChain4j", "`MillraceEmbeddingModel`"),
    SPRING_AI_STOCK("Spring AI", "own model, ONNX Runtime and PyTorch"),
    SPRING_AI_DROP_IN("Spring AI", "own model, drop-ins"),
    SPRING_AI_MILLRACE("Spring AI", "`EngineEmbeddingModel`");

    /** Beginnings of the names of jars with native libraries, which the drop-ins replace. */
    private static final List<String> NATIVE =
            List.of("onnxruntime-1", "onnxruntime-engine", "tokenizers-", "pytorch-");

    private static final List<String> OF_SPRING_AI = List.of("spring-", "millrace-spring-", "pytorch-");
    private static final List<String> OF_LANGCHAIN4J = List.of("langchain4j-", "opennlp-", "millrace-langchain4j");
    /** The jars that all stacks have: this example, and the files of the model. */
    private static final List<String> COMMON =
            List.of("millrace-example-rag", "millrace-rag", "langchain4j-embeddings-all-minilm");

    private final String framework;
    private final String title;

    Stack(String framework, String title) {
        this.framework = framework;
        this.title = title;
    }

    /**
     * Opens an empty index.
     *
     * @param folder the folder of the model
     */
    PassageIndex open(Path folder) throws Exception {
        return switch (this) {
            case LANGCHAIN4J_STOCK, LANGCHAIN4J_DROP_IN -> LangChain4jIndex.withOwnModel();
            case LANGCHAIN4J_MILLRACE -> LangChain4jIndex.withMillrace(folder);
            case SPRING_AI_STOCK, SPRING_AI_DROP_IN -> SpringAiIndex.withOwnModel(folder);
            case SPRING_AI_MILLRACE -> SpringAiOnMillrace.open(folder);
        };
    }

    String framework() {
        return framework;
    }

    String title() {
        return title;
    }

    boolean isStock() {
        return this == LANGCHAIN4J_STOCK || this == SPRING_AI_STOCK;
    }

    /** Whether this stack has an entry of the class path. */
    boolean has(String entry) {
        String name = name(Path.of(entry));
        if (begins(name, COMMON)) {
            return true;
        }
        boolean isOther = begins(name, framework.equals("Spring AI") ? OF_LANGCHAIN4J : OF_SPRING_AI);
        return !isOther && !(isStock() ? name.startsWith("millrace-") : begins(name, NATIVE));
    }

    /** Returns the name of a jar; a folder of classes in a checkout has one like the jar of its module. */
    private static String name(Path entry) {
        String file = String.valueOf(entry.getFileName());
        Path module = entry.toAbsolutePath().resolve("../..").normalize();
        return file.endsWith(".jar") ? file : "millrace-" + module.getFileName();
    }

    private static boolean begins(String name, List<String> beginnings) {
        return beginnings.stream().anyMatch(name::startsWith);
    }
}
