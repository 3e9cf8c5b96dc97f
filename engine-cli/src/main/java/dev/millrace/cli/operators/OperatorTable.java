package dev.millrace.cli.operators;

import dev.millrace.cli.operators.OperatorRow.Taken;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.TypeConstraint;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of all operators with a schema, and the answers of the providers for each version and type. */
public final class OperatorTable {
    private final List<ExecutionProvider> providers;

    private OperatorTable(List<ExecutionProvider> providers) {
        this.providers = providers;
    }

    /** Returns the rows by domain and name. */
    public static List<OperatorRow> rows() {
        var factories = new ArrayList<ProviderFactory>();
        ServiceLoader.load(ProviderFactory.class, OperatorTable.class.getClassLoader())
                .forEach(factories::add);
        factories.sort(Comparator.comparing(ProviderFactory::name));
        List<ExecutionProvider> providers = factories.stream()
                .map(factory -> factory.create(
                        factory.devices(List.of(HardwareDevice.hostCpu())), new ProviderOptions(1, Map.of())))
                .toList();
        try {
            return new OperatorTable(providers).all();
        } finally {
            providers.forEach(ExecutionProvider::close);
            factories.forEach(ProviderFactory::close);
        }
    }

    private List<OperatorRow> all() {
        Map<OpId, List<OperatorSchema>> schemas = new LinkedHashMap<>();
        for (OperatorSchema schema : Schemas.all()) {
            schemas.computeIfAbsent(schema.op(), _ -> new ArrayList<>()).add(schema);
        }
        var rows = new ArrayList<OperatorRow>();
        schemas.forEach((op, versions) -> rows.add(row(op, versions)));
        return rows;
    }

    private OperatorRow row(OpId op, List<OperatorSchema> versions) {
        OperatorSchema newest = versions.getLast();
        Map<String, Taken> taken = new LinkedHashMap<>();
        for (ExecutionProvider provider : providers) {
            List<Integer> since = versions.stream()
                    .filter(schema ->
                            !isComposed(schema) && !taken(provider, schema).isEmpty())
                    .map(OperatorSchema::since)
                    .toList();
            boolean none = variable(newest) == null || since.isEmpty();
            Set<ElementType> types = none ? EnumSet.noneOf(ElementType.class) : taken(provider, newest);
            taken.put(provider.name(), new Taken(since, types));
        }
        List<Integer> since = versions.stream().map(OperatorSchema::since).toList();
        return new OperatorRow(
                op, since, types(newest), taken, versions.stream().anyMatch(OperatorTable::isComposed));
    }

    private static @Nullable TypeConstraint variable(OperatorSchema schema) {
        return schema.inputs().isEmpty()
                ? null
                : schema.constraint(schema.inputs().getFirst().type());
    }

    private static Set<ElementType> types(OperatorSchema schema) {
        TypeConstraint variable = variable(schema);
        return variable == null ? EnumSet.noneOf(ElementType.class) : variable.tensors();
    }

    /** Returns the element types to ask providers about; one is enough if the operator has no type variable. */
    private static Set<ElementType> asked(OperatorSchema schema) {
        Set<ElementType> types = types(schema);
        return types.isEmpty() ? EnumSet.of(ElementType.FLOAT) : types;
    }

    private static String nameOfVariable(OperatorSchema schema) {
        TypeConstraint variable = variable(schema);
        return variable == null ? "" : variable.variable();
    }

    /**
     * Returns the types of the first type variable with which a provider takes an operator; some
     * type if it has no variable.
     */
    private Set<ElementType> taken(ExecutionProvider provider, OperatorSchema schema) {
        var taken = EnumSet.noneOf(ElementType.class);
        for (ElementType type : asked(schema)) {
            Graph graph = OneNodeGraph.of(schema, nameOfVariable(schema), type);
            if (Asked.takes(provider, providers, graph)) {
                taken.add(type);
            }
        }
        return taken;
    }

    private static boolean isComposed(OperatorSchema schema) {
        ElementType type = asked(schema).iterator().next();
        try {
            return Lowerings.lower(OneNodeGraph.of(schema, nameOfVariable(schema), type));
        } catch (EngineException wantsMore) {
            // a lowering that looks at more than the operator's name exists
            return true;
        }
    }
}
