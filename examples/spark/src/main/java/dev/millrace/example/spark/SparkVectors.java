package dev.millrace.example.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The job: a table with columns {@code id} and {@code text} becomes one with {@code id} and {@code vector}. */
public final class SparkVectors {
    /** The number of texts that are embedded together: texts of similar length share runs. */
    private static final int GROUP = 256;

    private static final StructType VECTORS = new StructType()
            .add("id", DataTypes.LongType)
            .add("vector", DataTypes.createArrayType(DataTypes.FloatType, false));

    private SparkVectors() {}

    /** Runs the job: the folder of the model on each machine, the table that is read and the one that is written. */
    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder().appName("vectors").getOrCreate()) {
            vectors(spark.read().parquet(arguments[1]), arguments[0]).write().parquet(arguments[2]);
        }
    }

    /** Returns the vectors of a table's texts. */
    public static Dataset<Row> vectors(Dataset<Row> texts, String modelFolder) {
        MapPartitionsFunction<Row, Row> embedding = rows -> new Groups(rows, modelFolder);
        return texts.select("id", "text").mapPartitions(embedding, Encoders.row(VECTORS));
    }

    /** The rows of a partition, which are embedded group by group. */
    private static final class Groups implements Iterator<Row> {
        private final Iterator<Row> rows;
        private final String modelFolder;
        private Iterator<Row> answered = List.<Row>of().iterator();

        Groups(Iterator<Row> rows, String modelFolder) {
            this.rows = rows;
            this.modelFolder = modelFolder;
        }

        @Override
        public boolean hasNext() {
            if (!answered.hasNext() && rows.hasNext()) {
                answered = nextGroup();
            }
            return answered.hasNext();
        }

        private Iterator<Row> nextGroup() {
            var ids = new ArrayList<Long>();
            var texts = new ArrayList<String>();
            while (rows.hasNext() && ids.size() < GROUP) {
                Row row = rows.next();
                ids.add(row.getLong(0));
                texts.add(row.getString(1));
            }
            List<float[]> vectors = ExecutorModel.of(modelFolder).embedAll(texts);
            var group = new ArrayList<Row>();
            for (int i = 0; i < ids.size(); i++) {
                group.add(RowFactory.create(ids.get(i), vectors.get(i)));
            }
            return group.iterator();
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return answered.next();
        }
    }
}
