package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.server.config.ConfigCompletion;
import dev.millrace.server.config.ConfigRules;
import dev.millrace.server.config.ConfiguredTensors;
import dev.millrace.server.config.SessionSettings;
import dev.millrace.server.model.EnsembleModel;
import dev.millrace.server.model.InferenceCounters;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.OpenedFile;
import dev.millrace.server.model.SequenceModel;
import dev.millrace.server.model.ServedModel;
import dev.millrace.server.model.SessionModel;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelWarmup;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.ModelPackage;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.text.Embedder;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.ModelFolder;
import dev.millrace.text.Tokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens versions of models. */
public final class ModelLoader {
    private static final String MODEL = "model.onnx";
    private static final String TOKENIZER = "tokenizer.json";

    private final Engine engine;

    public ModelLoader(Engine engine) {
        this.engine = engine;
    }

    /** Opens a version, warms it up and returns it; {@code members} are the models of ensembles. */
    LoadedVersion load(
            StoredModel stored,
            long version,
            ModelConfig config,
            InferenceCounters counters,
            EnsembleModel.Members members) {
        long before = engine.memory().weights();
        ServedModel model = open(stored, version, config, members);
        // a model that closes meanwhile makes the difference smaller
        long weights = Math.max(0, engine.memory().weights() - before);
        return new LoadedVersion(stored.name(), version, model, counters, weights);
    }

    private ServedModel open(StoredModel stored, long version, ModelConfig config, EnsembleModel.Members members) {
        ConfigRules.check(config, stored.name());
        if (config.hasEnsembleScheduling()) {
            ModelConfig named = config.toBuilder().setName(stored.name()).build();
            return new EnsembleModel(named, new ConfiguredTensors(named, stored.folder()).labels(), members);
        }
        Path place = stored.versions().get(version);
        if (place == null) {
            throw new EngineException(Status.NOT_FOUND, "model '" + stored.name() + "' has no version " + version);
        }
        Path model = Files.isDirectory(place) ? modelIn(place, config) : place;
        SessionOptions options = SessionSettings.of(config, stored.name(), Long.toString(version));
        OpenedFile opened = open(model, options);
        try {
            return served(opened, model, stored, config, options);
        } catch (RuntimeException e) {
            opened.session().close();
            throw e;
        }
    }

    private OpenedFile open(Path model, SessionOptions options) {
        if (Files.isDirectory(model) && Files.exists(model.resolve("manifest.json"))) {
            ModelPackage pack = ModelPackage.open(model);
            // refuses a package of several components
            Session session = engine.session(pack, options);
            return new OpenedFile(
                    session, engine.modelFile(pack, pack.components().getFirst(), options));
        }
        Path file = fileOf(model);
        return new OpenedFile(engine.session(file, options), file);
    }

    private static Path modelIn(Path folder, ModelConfig config) {
        if (!config.getDefaultModelFilename().isEmpty()) {
            Path named = folder.resolve(config.getDefaultModelFilename()).normalize();
            if (!named.startsWith(folder)) {
                throw EngineException.invalidArgument("default_model_filename names a file outside of " + folder);
            }
            return named;
        }
        return Files.exists(folder.resolve(MODEL)) ? folder.resolve(MODEL) : folder;
    }

    /** Returns the file of a model: itself, the one in its folder, or that of a language model. */
    private static Path fileOf(Path model) {
        if (!Files.isDirectory(model)) {
            return model;
        }
        Path file = model.resolve(MODEL);
        return Files.exists(file) ? file : ModelFolder.read(model).model();
    }

    private ServedModel served(
            OpenedFile opened, Path model, StoredModel stored, ModelConfig config, SessionOptions options) {
        Session session = opened.session();
        ModelConfig complete = ConfigCompletion.of(config, session, stored.name());
        var tensors = new ConfiguredTensors(complete, stored.folder());
        for (ModelWarmup warmUp : complete.getModelWarmupList()) {
            Inputs inputs = tensors.warmUp(warmUp);
            for (int i = 0; i < Math.max(1, warmUp.getCount()); i++) {
                session.run(inputs).close();
            }
        }
        if (complete.hasSequenceBatching()) {
            return new SequenceModel(opened, complete, tensors.labels(), tensors.states(), System::nanoTime);
        }
        return new SessionModel(
                opened, complete, tensors.labels(), stored.isFile() ? null : text(session, model, stored, options));
    }

    /** Returns the model as one of texts if a tokenizer lies beside it. */
    private @Nullable TextModel text(Session session, Path model, StoredModel stored, SessionOptions options) {
        Path beside = Files.isDirectory(model) ? model : model.resolveSibling("");
        // the folder onnx of an exported model has the tokenizer above it
        Path tokenizer = Stream.of(beside, beside.resolve("..").normalize(), stored.folder())
                .map(folder -> folder.resolve(TOKENIZER))
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
        if (tokenizer == null) {
            return null;
        }
        if (isDecoder(session, tokenizer.resolveSibling(""))) {
            var languageModel = LanguageModel.open(engine, ModelFolder.read(model), options);
            return new TextModel(languageModel.tokenizer(), languageModel, null, null);
        }
        Tokenizer read = Tokenizer.read(tokenizer);
        return hasScores(session)
                ? new TextModel(read, null, null, CrossEncoder.of(session, read))
                : new TextModel(read, null, embedder(session, read), null);
    }

    /** Whether a model answers a text with one number, as those do that read a query and a text together. */
    private static boolean hasScores(Session session) {
        return session.outputs().getFirst().type() instanceof ValueType.TensorType type
                && type.shape() != null
                && type.shape().rank() == 2
                && type.shape().dim(1).equals(Dim.of(1));
    }

    /** Returns what makes vectors by the model, or null for a model whose outputs are none. */
    private static @Nullable Embedder embedder(Session session, Tokenizer tokenizer) {
        try {
            return Embedder.of(session, tokenizer);
        } catch (EngineException e) {
            return null;
        }
    }

    /** Whether a model is a decoder: its signature has caches, or its folder describes a language model. */
    private static boolean isDecoder(Session session, Path folder) {
        List<String> names = session.outputs().stream().map(each -> each.name()).toList();
        if (!names.contains("logits")) {
            return false;
        }
        try {
            return !DecoderSignature.of(session).states().isEmpty()
                    || Files.exists(folder.resolve("genai_config.json"));
        } catch (EngineException e) {
            return false;
        }
    }
}
