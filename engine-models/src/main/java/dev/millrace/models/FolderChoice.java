package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of a model in a folder of a source: the model, its tokenizer and its configurations. */
final class FolderChoice {
    /** The source of files. */
    @FunctionalInterface
    interface Files {
        /** Returns a file, which is fetched if it is not there; null if the source has none. */
        @Nullable
        Path find(String path);
    }

    private static final String GENAI = "genai_config.json";
    private static final Pattern GENAI_MODEL = Pattern.compile("\"filename\"\\s*:\\s*\"([^\"\\\\]+\\.onnx)\"");
    private static final long LARGEST_GENAI = 1 << 20;

    private static final List<String> BESIDE = List.of(
            "config.json",
            "generation_config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "chat_template.jinja",
            "preprocessor_config.json");

    /** The names of models, and those of the encoders that belong to them. */
    private static final List<List<String>> BASES =
            List.of(List.of("model"), List.of("decoder_model_merged", "encoder_model"), List.of("encoder_model"));

    /** The ends of the names of model files, the fastest on processors first. */
    private static final List<String> VARIANTS =
            List.of("_q4", "_q4f16", "_bnb4", "_int8", "_quantized", "_uint8", "", "_fp16");

    private final Files files;
    private final String prefix;
    private final String source;

    /** @param folder the path of the folder in the source; empty for the source itself */
    FolderChoice(Files files, String source, String folder) {
        this.files = files;
        this.source = source + (folder.isEmpty() ? "" : "/" + folder);
        prefix = folder.isEmpty() ? "" : folder + "/";
    }

    /** Returns the model files: those that a configuration names, else those with usual names; the main one first. */
    List<String> models() throws IOException {
        Path genai = find(prefix + GENAI);
        if (genai != null) {
            return named(genai);
        }
        for (List<String> base : BASES) {
            for (String variant : VARIANTS) {
                for (String place : List.of("onnx/", "")) {
                    List<String> files = base.stream()
                            .map(each -> prefix + place + each + variant + ModelFiles.MODEL)
                            .toList();
                    if (find(files.getFirst()) != null) {
                        return files;
                    }
                }
            }
        }
        throw new EngineException(
                Status.NO_SUCH_FILE,
                source + " has no model with a usual name, such as onnx/model.onnx; append the path of its model file");
    }

    private List<String> named(Path genai) throws IOException {
        if (java.nio.file.Files.size(genai) > LARGEST_GENAI) {
            throw EngineException.invalidArgument(source + "/" + GENAI + " is too large for a configuration");
        }
        var models = new ArrayList<String>();
        String text = java.nio.file.Files.readString(genai, StandardCharsets.UTF_8);
        for (Matcher each = GENAI_MODEL.matcher(text); each.find(); ) {
            models.add(prefix + each.group(1));
        }
        if (models.isEmpty()) {
            throw EngineException.invalidArgument(source + "/" + GENAI + " names no model file");
        }
        return models;
    }

    /** Fetches what belongs to a model, as far as the source has it. */
    void fetchBeside() {
        for (String each : BESIDE) {
            find(prefix + each);
        }
    }

    /** Returns the folder where the tokenizer of a model file lies: its own, or the one above {@code onnx}. */
    static String folderOf(String model) {
        String folder = model.substring(0, Math.max(0, model.lastIndexOf('/')));
        boolean isInner = folder.equals("onnx") || folder.endsWith("/onnx");
        return isInner ? folder.substring(0, Math.max(0, folder.lastIndexOf('/'))) : folder;
    }

    /** Returns the path below the source's own folder, which is empty or ends with a slash. */
    String prefix() {
        return prefix;
    }

    private @Nullable Path find(String path) {
        return files.find(path);
    }
}
