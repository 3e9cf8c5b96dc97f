package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Session;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.json.Json;
import dev.millrace.text.json.JsonFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a language model as exporters write them: the folder of ONNX Runtime GenAI's model builder, with
 * {@code genai_config.json}, or of Hugging Face, with {@code config.json}, {@code generation_config.json} and models under
 * {@code onnx}.
 *
 * @param folder the folder with the configuration, where chat templates are looked for
 * @param model the model file
 * @param tokenizer the file of the tokenizer
 * @param contextLength the number of tokens that the model sees at most; 0 if no file says so
 * @param defaults the options that the files recommend, with the tokens that end an answer as stop tokens
 */
public record ModelFolder(Path folder, Path model, Path tokenizer, int contextLength, GenerationOptions defaults) {
    private static final String GENAI = "genai_config.json";
    static final String CONFIG = "config.json";
    static final String GENERATION = "generation_config.json";
    static final String TOKENIZER = "tokenizer.json";

    /** The ends of the names of model files, the fastest on processors first. */
    static final List<String> VARIANTS =
            List.of("_q4", "_q4f16", "_bnb4", "_int8", "_quantized", "_uint8", "", "_fp16");

    /**
     * Finds the files of a model.
     *
     * @param path the folder, or one of its model files
     */
    public static ModelFolder read(Path path) {
        ApiBoundary.requireArgument(path, "path");
        return ApiBoundary.guarded(
                "model folder " + path, () -> Files.isDirectory(path) ? ofFolder(path) : ofFile(path));
    }

    private static ModelFolder ofFile(Path file) {
        if (!Files.exists(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no model file or folder " + file.toAbsolutePath());
        }
        // a file has a folder
        Path beside = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path above = beside.getParent();
        return of(above != null && !isConfigured(beside) && isConfigured(above) ? above : beside, file);
    }

    private static ModelFolder ofFolder(Path folder) {
        return of(folder, null);
    }

    private static boolean isConfigured(Path folder) {
        return Files.exists(folder.resolve(TOKENIZER)) || Files.exists(folder.resolve(CONFIG));
    }

    private static ModelFolder of(Path folder, @Nullable Path file) {
        Json genai = found(folder, GENAI);
        Json config = found(folder, CONFIG);
        Json generation = found(folder, GENERATION);
        Path model = file == null ? model(folder, genai) : file;
        Path tokenizer = tokenizer(folder, model);
        Json inner = config.get("text_config").isObject() ? config.get("text_config") : config;
        int context = genai.get("model")
                .get("context_length")
                .count(inner.get("max_position_embeddings")
                        .count(inner.get("n_positions").count(0)));
        Set<Long> ends =
                ends(genai.get("model").get("eos_token_id"), generation.get("eos_token_id"), inner.get("eos_token_id"));
        Json search = genai.isNull() ? generation : genai.get("search");
        return new ModelFolder(folder, model, tokenizer, context, options(search, ends));
    }

    /** Returns the signature of the model, with the names and the context length of its files, for changes. */
    public DecoderSignature.Builder signature(Session session) {
        DecoderSignature.Builder signature = DecoderSignature.builder(session);
        if (contextLength > 0) {
            signature.contextLength(contextLength);
        }
        Json genai = found(folder, GENAI);
        ApiBoundary.guarded("file " + folder.resolve(GENAI), () -> {
            GenAiNames.apply(genai.get("model").get("decoder"), session, signature);
            return signature;
        });
        return signature;
    }

    /** Returns a file of a folder, as nothing if there is no such file. */
    static Json found(Path folder, String name) {
        Path file = folder.resolve(name);
        return Files.exists(file) ? JsonFile.read(file, file.toString()) : Json.none(name);
    }

    private static Path model(Path folder, Json genai) {
        Json named = genai.get("model").get("decoder").get("filename");
        if (!named.isNull()) {
            return inside(folder, named.text());
        }
        for (String base : List.of("model", "decoder_model_merged")) {
            for (String variant : VARIANTS) {
                Path place = variant(folder, base, variant);
                if (place != null) {
                    return place;
                }
            }
        }
        throw new EngineException(
                Status.NO_SUCH_FILE,
                folder.toAbsolutePath() + " has no language model: there is no " + GENAI
                        + " that names one, and no model.onnx, model_q4.onnx or the like there or in its folder onnx");
    }

    /** Returns a model file of a folder or of its folder onnx; null if there is none. */
    static @Nullable Path variant(Path folder, String base, String variant) {
        String name = base + variant + ".onnx";
        for (Path place : List.of(folder.resolve("onnx").resolve(name), folder.resolve(name))) {
            if (Files.exists(place)) {
                return place;
            }
        }
        return null;
    }

    /** Returns a file that a configuration names, which stays in the folder. */
    private static Path inside(Path folder, String name) {
        Path file = folder.resolve(name).normalize();
        if (!file.startsWith(folder.normalize())) {
            throw EngineException.invalidArgument(
                    GENAI + " names the model '" + name + "', which is outside of its folder");
        }
        return file;
    }

    static Path tokenizer(Path folder, Path model) {
        Path beside = model.resolveSibling(TOKENIZER);
        for (Path place : List.of(folder.resolve(TOKENIZER), beside)) {
            if (Files.exists(place)) {
                return place;
            }
        }
        throw new EngineException(
                Status.NO_SUCH_FILE,
                "there is no " + TOKENIZER + " in " + folder.toAbsolutePath() + " or beside " + model);
    }

    /** Returns the tokens of the first of these values that is there: a number, or a list of numbers. */
    static Set<Long> ends(Json... values) {
        for (Json value : values) {
            if (value.isList()) {
                var ends = new LinkedHashSet<Long>();
                value.elements().forEach(element -> ends.add((long) element.id()));
                return ends;
            }
            if (!value.isNull()) {
                return Set.of((long) value.id());
            }
        }
        return Set.of();
    }

    static GenerationOptions options(Json search, Set<Long> ends) {
        GenerationOptions.Builder options = GenerationOptions.builder()
                .stopTokens(ends.stream().mapToLong(Long::longValue).toArray());
        if (search.get("do_sample").flag(false)) {
            options.temperature(number(search, "temperature", 1));
            options.topP(number(search, "top_p", 1)).minP(number(search, "min_p", 0));
            int most = search.get("top_k").count(0);
            if (most > 0) {
                options.topK(most);
            }
        }
        return options.repetitionPenalty(number(search, "repetition_penalty", 1))
                .noRepeatNgram(search.get("no_repeat_ngram_size").count(0))
                .build();
    }

    static double number(Json search, String name, double otherwise) {
        Json value = search.get(name);
        return value.isNull() ? otherwise : value.finite();
    }
}
