package dev.millrace.flink;

import dev.millrace.graph.EngineException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.cache.DistributedCache;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogModel;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.ModelProviderFactory;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.PredictFunction;
import org.apache.flink.table.ml.AsyncPredictRuntimeProvider;
import org.apache.flink.table.ml.ModelProvider;
import org.apache.flink.table.ml.PredictRuntimeProvider;
import org.apache.flink.table.types.logical.RowType;

/**
 * The provider {@code millrace} of {@code CREATE MODEL}, whose models {@code ML_PREDICT} runs in the task managers. Flink finds
 * it through {@code ServiceLoader}.
 */
public final class MillraceModelProviderFactory implements ModelProviderFactory {
    /** The value of the option {@code provider}. */
    public static final String IDENTIFIER = "millrace";

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(MillraceOptions.MODEL);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return MillraceOptions.optional();
    }

    /** Creates the provider of a model, whose columns are checked against the model where its file can be read here. */
    @Override
    public ModelProvider createModelProvider(Context context) {
        FactoryUtil.ModelProviderFactoryHelper helper = FactoryUtil.createModelProviderFactoryHelper(this, context);
        helper.validateExcept(MillraceOptions.SESSION_PREFIX);
        ResolvedCatalogModel model = context.getCatalogModel();
        String name = context.getObjectIdentifier().asSummaryString();
        try {
            TextSettings text = MillraceOptions.text(helper.getOptions());
            var task = new PredictTask(
                    MillraceOptions.settings(helper.getOptions(), model.getOptions(), text != null),
                    text,
                    helper.getOptions().getOptional(MillraceOptions.TIMEOUT).orElse(null),
                    row(model.getResolvedInputSchema()),
                    row(model.getResolvedOutputSchema()));
            Path file = ModelFile.at(task.settings().model(), cache -> planned(cache, context.getConfiguration()));
            if (Files.isRegularFile(file)) {
                task.check(ModelSignature.read(file));
            }
            return task.usesCache() ? new BlockingProvider(task) : new Provider(task);
        } catch (ValidationException | EngineException | IllegalArgumentException e) {
            throw new ValidationException("model " + name + ": " + e.getMessage(), e);
        }
    }

    private static RowType row(ResolvedSchema schema) {
        return (RowType) schema.toPhysicalRowDataType().getLogicalType();
    }

    /** Returns the place of a file that the job will put into its cache, as this process knows it. */
    private static File planned(String name, ReadableConfig configuration) {
        List<String> files =
                configuration.getOptional(PipelineOptions.CACHED_FILES).orElse(List.of());
        return DistributedCache.parseCachedFilesFromString(files).stream()
                .filter(each -> each.f0.equals(name))
                .map(each -> new File(new org.apache.flink.core.fs.Path(each.f1.filePath).getPath()))
                .findFirst()
                .orElseGet(() -> new File(name));
    }

    /** A provider for files of the distributed cache, which Flink does not give to asynchronous functions. */
    private record BlockingProvider(PredictTask task) implements PredictRuntimeProvider {
        @Override
        public PredictFunction createPredictFunction(ModelProvider.Context context) {
            return new MillracePredictFunction(task);
        }

        @Override
        public ModelProvider copy() {
            return new BlockingProvider(task);
        }
    }

    private record Provider(PredictTask task) implements AsyncPredictRuntimeProvider, PredictRuntimeProvider {
        @Override
        public AsyncPredictFunction createAsyncPredictFunction(ModelProvider.Context context) {
            return new MillraceAsyncPredictFunction(task);
        }

        @Override
        public PredictFunction createPredictFunction(ModelProvider.Context context) {
            return new MillracePredictFunction(task);
        }

        @Override
        public ModelProvider copy() {
            return task.usesCache() ? new BlockingProvider(task) : new Provider(task);
        }
    }
}
