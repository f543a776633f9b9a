import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import weka.classifiers.bayes.NaiveBayesMultinomialText;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instance;
import weka.core.Instances;

/** Weka's multinomial naive Bayes over raw text, one text at a time: WekaPeer TRAIN TEST OUT. */
public class WekaPeer {
  record Item(String label, String text) {}

  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Instances header;
  private final NaiveBayesMultinomialText model = new NaiveBayesMultinomialText();

  WekaPeer(List<Item> items) throws Exception {
    TreeSet<String> labels = new TreeSet<>();
    items.forEach(item -> labels.add(item.label()));
    ArrayList<Attribute> fields = new ArrayList<>();
    fields.add(new Attribute("text", (List<String>) null));
    fields.add(new Attribute("label", new ArrayList<>(labels)));
    header = new Instances("texts", fields, 0);
    header.setClassIndex(1);
    model.setLowercaseTokens(true);
    model.setUseWordFrequencies(true);
    model.setMinWordFrequency(0);
    model.setPeriodicPruning(0);
    model.buildClassifier(header);
  }

  Instance instance(String text) {
    Instance instance = new DenseInstance(2);
    instance.setDataset(header);
    header.attribute(0).setStringValue(text); // keeps this one text only
    instance.setValue(0, 0);
    return instance;
  }

  static List<Item> read(String path) throws IOException {
    Gson gson = new Gson();
    try (var lines = Files.lines(Path.of(path))) {
      return lines.map(line -> gson.fromJson(line, Item.class)).toList();
    }
  }

  /** Processor seconds of all threads: compiling and collecting count. */
  static double seconds() {
    return PROCESS.getProcessCpuTime() / 1e9;
  }

  public static void main(String[] paths) throws Exception {
    List<Item> learn = read(paths[0]);
    List<Item> ask = read(paths[1]);
    WekaPeer peer = new WekaPeer(learn);

    double start = seconds();
    for (Item item : learn) {
      Instance instance = peer.instance(item.text());
      instance.setClassValue(item.label());
      peer.model.updateClassifier(instance);
    }
    double train = seconds() - start;

    List<String> labels = new ArrayList<>();
    start = seconds();
    for (Item item : ask) {
      double best = peer.model.classifyInstance(peer.instance(item.text()));
      labels.add(peer.header.classAttribute().value((int) best));
    }
    double classify = seconds() - start;

    Files.write(Path.of(paths[2]), labels);
    System.out.printf(Locale.ROOT, "{\"train\": %f, \"classify\": %f, \"classified\": %d}%n", train, classify, ask.size());
  }
}
