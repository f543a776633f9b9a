package news_test

import (
	"fmt"

	"bayestream/internal/tools/demo/news"
)

func ExampleGenerator_Next() {
	generator := news.New(1)
	for range 3 {
		item := generator.Next()
		fmt.Printf("%s %s: %s\n", item.ID, item.Label, item.Text)
	}
	// Output:
	// news-1-1 election: Yellowlees hires a campaign lawyer from Cincinnati. Yellowlees addresses Congress, Sallowfield said in an interview.
	// news-1-2 sports: Cycling: Pinecroft wins stage in Virginia. "This is not over," said Tremayne. The coalition of small clubs wants more television money. The franchise needs fitness, not humor.
	// news-1-3 election: Rutherglen calls it a bitter lesson. Obama and Rutherglen shared a stage at a church basement in March. Donors gave 26 million dollars in November. The debate between Obama and Romney is set for Wednesday.
}
