package dev.millrace.example.rag;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.spring.ai.EngineEmbeddingModel;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.nio.file.Path;

/** This engine's model under Spring AI's store. A class of its own, since the stock stack has none of these types. */
final class SpringAiOnMillrace {
    private SpringAiOnMillrace() {}

    /** Creates an index, whose engine ends with the process. */
    static PassageIndex open(Path folder) {
        Tokenizer tokenizer = Tokenizer.read(folder.resolve("tokenizer.json"));
        Session session = Engine.create().session(folder.resolve("model.onnx"));
        Embedder embedder = Embedder.of(session, tokenizer.paddedTo(0)).normalising(false);
        return new SpringAiIndex(EngineEmbeddingModel.builder(embedder).build());
    }
}
