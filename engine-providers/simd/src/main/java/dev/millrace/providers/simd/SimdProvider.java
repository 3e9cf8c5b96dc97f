package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Compiles products by constant weights and chains of elementwise operators, on floats. */
final class SimdProvider implements ExecutionProvider {
    static final String NAME = "simd";

    private final ProductKernel products;

    SimdProvider(ProductKernel products) {
        this.products = products;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        Claims.claim(name(), graph, sink);
    }

    @Override
    public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        var shared = new SharedBulk(products);
        var kernels = new ArrayList<Kernel>(partitions.size());
        for (Partition partition : partitions) {
            context.checkCancelled();
            try {
                kernels.add(partition.isContext() ? resolve(partition, context) : compile(partition, context, shared));
            } catch (RuntimeException e) {
                throw EngineException.wrap(Status.EP_FAIL, "partition '" + partition.name() + "'", e);
            }
        }
        return kernels;
    }

    private Kernel compile(Partition partition, CompileContext context, SharedBulk shared) {
        var bulk = new Bulk(shared);
        SimdProgram program = new PartitionCompiler(partition.graph(), products.layout(), bulk).compile();
        List<MemorySegment> segments = bulk.segments();
        ContextSink sink = context.sink();
        if (sink != null) {
            sink.graph(partition, ProgramFormat.write(program), shared.keep(sink, segments));
        }
        return new SimdKernel(program, segments, products);
    }

    private Kernel resolve(Partition partition, CompileContext context) {
        CompiledGraph compiled = context.resolve(partition.onlyNode());
        SimdProgram program = ProgramFormat.read(compiled.plan());
        var segments = new ArrayList<MemorySegment>(compiled.segmentCount());
        for (int i = 0; i < compiled.segmentCount(); i++) {
            segments.add(compiled.segment(i));
        }
        ProgramCheck.check(program, segments, products);
        Graph graph = partition.graph();
        SimdProgram fitting = new ContextFit(program, partition.onlyNode(), graph, segments).fit();
        return new SimdKernel(fitting, segments, products);
    }

    @Override
    public String compatibilityInfo(Graph graph) {
        return compatibilityInfo(products);
    }

    /** What a program of this format, with weights packed for {@code products}, needs to run. */
    static String compatibilityInfo(ProductKernel products) {
        return NAME + ";format=" + ProgramFormat.VERSION + ";layout=" + products.layout();
    }
}
