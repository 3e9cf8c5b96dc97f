package dev.millrace.flink;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogModel;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogModel;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.ModelProviderFactory;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.ml.AsyncPredictRuntimeProvider;
import org.apache.flink.table.ml.ModelProvider;
import org.apache.flink.table.types.DataType;

/**
 * Flink's own client of model servers, from its jar. In Flink 2.3.0 its check of columns refuses every column, since the
 * condition is the wrong way round; the check is left out here, and nothing else is changed.
 */
final class TritonClient implements AutoCloseable {
    private static final String FACTORY = "org.apache.flink.model.triton.TritonModelProviderFactory";
    private static final String CHECKED = "org.apache.flink.model.triton.AbstractTritonModelFunction";
    private static final String CHECK = "validateSingleColumnSchema";

    private final ClientLoader loader;
    private final AsyncPredictFunction function;

    /** The classes of the client's jar, one of them without its check. */
    private static final class ClientLoader extends URLClassLoader {
        ClientLoader(URL jar) {
            super(new URL[] {jar}, TritonClient.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals(CHECKED)) {
                return super.findClass(name);
            }
            try (var in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = withoutCheck(in.readAllBytes());
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private static byte[] withoutCheck(byte[] bytes) {
            ClassFile files = ClassFile.of();
            ClassModel model = files.parse(bytes);
            return files.transformClass(
                    model,
                    ClassTransform.transformingMethods(
                            (MethodModel method) -> method.methodName().equalsString(CHECK), (builder, element) -> {
                                if (element instanceof CodeModel) {
                                    builder.withCode(CodeBuilder::return_);
                                } else {
                                    builder.with(element);
                                }
                            }));
        }
    }

    /** Creates the client of a model with an input and an output, and further options. */
    TritonClient(String endpoint, String model, DataType input, DataType output, Map<String, String> more)
            throws Exception {
        loader = new ClientLoader(
                Path.of(System.getProperty("triton.client")).toUri().toURL());
        var options = new HashMap<>(
                Map.of("provider", "triton", "endpoint", endpoint, "model-name", model, "model-version", "1"));
        options.putAll(more);
        var factory = (ModelProviderFactory)
                loader.loadClass(FACTORY).getDeclaredConstructor().newInstance();
        ResolvedCatalogModel described = ResolvedCatalogModel.of(
                CatalogModel.of(schema("x", input), schema("y", output), options, ""),
                ResolvedSchema.of(Column.physical("x", input)),
                ResolvedSchema.of(Column.physical("y", output)));
        ModelProvider provider = FactoryUtil.createModelProvider(
                factory, ObjectIdentifier.of("c", "d", "m"), described, new Configuration(), loader, false);
        function = ((AsyncPredictRuntimeProvider) provider).createAsyncPredictFunction(new ModelProvider.Context() {
            @Override
            public ResolvedCatalogModel getCatalogModel() {
                return described;
            }

            @Override
            public Configuration runtimeConfig() {
                return new Configuration();
            }
        });
        function.open(new FunctionContext(null));
    }

    private static Schema schema(String name, DataType type) {
        return Schema.newBuilder().column(name, type).build();
    }

    /** Asks for a row and waits for the answer. */
    RowData answer(RowData row) throws Exception {
        return function.asyncPredict(row).get().iterator().next();
    }

    @Override
    public void close() throws Exception {
        function.close();
        loader.close();
    }

    /** Returns the type of an array. */
    static DataType array(DataType element) {
        return DataTypes.ARRAY(element);
    }
}
