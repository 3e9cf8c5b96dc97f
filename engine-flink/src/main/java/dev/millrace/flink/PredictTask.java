package dev.millrace.flink;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.RunOptions;
import dev.millrace.text.Embedder;
import java.io.File;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A model as SQL declares it, which travels to task managers.
 *
 * @param text the settings of a model of texts; null for a model of tensors
 * @param timeout the time limit of a row; null for none
 */
record PredictTask(
        ModelSettings settings,
        @Nullable TextSettings text,
        @Nullable Duration timeout,
        RowType input,
        RowType output) implements Serializable {

    /** Checks the columns against the declarations of the model. */
    void check(ModelSignature model) {
        if (text == null) {
            RowConversion.of(model, input, output);
        } else {
            TextSettings.check(input, output);
        }
    }

    /** Whether the job's distributed cache has one of the files. */
    boolean usesCache() {
        return ModelFile.isCached(settings.model())
                || text != null && text.tokenizer() != null && ModelFile.isCached(text.tokenizer());
    }

    /** Returns the answers of an open model, row by row. */
    Function<RowData, Mono<RowData>> answers(ModelLease lease, Path model, Function<String, File> cached) {
        Function<RowData, Mono<RowData>> answers =
                text == null ? ofTensors(lease) : ofTexts(text, lease, model, cached);
        Duration limit = timeout;
        return limit == null ? answers : row -> answers.apply(row).contextWrite(RunContext.within(limit));
    }

    private Function<RowData, Mono<RowData>> ofTensors(ModelLease lease) {
        RowConversion conversion = RowConversion.of(ModelSignature.of(lease.inference()), input, output);
        return row -> {
            Inputs inputs = conversion.inputs(row);
            return lease.inference().mono(inputs, RunOptions.defaults()).map(outputs -> row(conversion, outputs));
        };
    }

    private static RowData row(RowConversion conversion, Outputs outputs) {
        try (outputs) {
            return conversion.row(outputs);
        }
    }

    private Function<RowData, Mono<RowData>> ofTexts(
            TextSettings texts, ModelLease lease, Path model, Function<String, File> cached) {
        TextSettings.check(input, output);
        String place = texts.tokenizer();
        Embedder embedder = texts.embedder(
                lease.inference(),
                place == null ? model.resolveSibling("tokenizer.json") : ModelFile.at(place, cached));
        String column = input.getFieldNames().getFirst();
        return row -> {
            if (row.isNullAt(0)) {
                throw new IllegalArgumentException(
                        "column '" + column + "' has a null, which has no vector; filter such rows or use COALESCE");
            }
            return embedder.mono(row.getString(0).toString())
                    .map(vector -> GenericRowData.of(new GenericArrayData(vector)));
        };
    }
}
