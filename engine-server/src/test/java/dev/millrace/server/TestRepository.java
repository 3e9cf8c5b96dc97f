package dev.millrace.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A folder of models that a test fills. */
record TestRepository(Path folder) {
    /** Writes a version of a model. */
    TestRepository version(String model, int version, byte[] onnx) {
        return write(model + "/" + version + "/model.onnx", onnx);
    }

    TestRepository config(String model, String config) {
        return write(model + "/config.pbtxt", config.getBytes());
    }

    /** Writes a language model that goes on with {@code the mill runs}. */
    TestRepository mill() {
        return version("mill", 1, ServerModels.words(1, 2, 3, 3, 5, 0, 7, 7))
                .write("mill/1/tokenizer.json", utf8("""
                    {"model": {"type": "WordLevel", "unk_token": "one",
                      "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3, "user": 4, "bot": 5, "system": 6, "one": 7}},
                     "pre_tokenizer": {"type": "Whitespace"},
                     "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}\
                    """))
                .write(
                        "mill/1/chat_template.jinja",
                        utf8("{% for message in messages %}{{ message.content }} {% endfor %}bot"))
                .write("mill/1/genai_config.json", utf8("""
                    {"model": {"context_length": 20, "eos_token_id": 3, "decoder": {"filename": "model.onnx"}}}\
                    """));
    }

    /** Writes a model that prefers batches of two rows. */
    TestRepository joined() {
        return version("joined", 1, ServerModels.plus(1, 1))
                .config(
                        "joined",
                        "max_batch_size: 8 dynamic_batching { preferred_batch_size: [2]"
                                + " max_queue_delay_microseconds: 20000 }");
    }

    /** Writes the model {@code plus}, which adds one, and the ensemble {@code twice} of two steps with it. */
    TestRepository twice() {
        return version("plus", 1, ServerModels.plus(1, 1)).config("twice", """
            platform: "ensemble"
            input { name: "x" data_type: TYPE_FP32 dims: [1, 1] }
            output { name: "z" data_type: TYPE_FP32 dims: [1, 1] }
            ensemble_scheduling {
              step { model_name: "plus" input_map { key: "x" value: "x" } output_map { key: "y" value: "b" } }
              step { model_name: "plus" input_map { key: "x" value: "b" } output_map { key: "y" value: "z" } }
            }
            """);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    TestRepository write(String path, byte[] content) {
        try {
            Path file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Path next = file.resolveSibling(".next");
            Files.write(next, content);
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
